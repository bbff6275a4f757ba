"""Other languages: their interpreters, compilers and build tools."""

from agent_cli.approval.programs._program import Program

PROGRAMS = {
    "ruby": Program(
        runs="-e -r -S -x -s",
        writes="-i",
        loads="-I -C -E",
        values="-W",
        permutes=False,
        operands={"-$": "runs what it reads"},
    ),
    "perl": Program(
        runs="-e -E -M -m -d -S -x -n -p",
        writes="-i",
        loads="-I",
        permutes=False,
        operands={"-$": "runs what it reads"},
    ),
    "php": Program(
        runs="-r -B -R -E -F -a -z --run --process-begin --process-code -d --define",
        loads="-c --php-ini -S --server -t --docroot",
        permutes=False,
    ),
    "lua luajit": Program(runs="-e -l -i -j -", permutes=False),
    "Rscript R": Program(runs="-e -f --file --args", loads="--default-packages"),
    "bundle": Program(
        loads="--gemfile --path -r --retry --binstubs", runner="exec", values="--jobs"
    ),
    "rspec": Program(
        runs="-r --require -f --format -X --drb",
        writes="-o --out --failure-exit-code",
        loads="-O --options -I --default-path --pattern-file",
        values="-e --example -t --tag -P --pattern --seed",
        exempt={"-f": "[a-z]+", "--format": "[a-z]+"},
    ),
    "rubocop": Program(
        runs="-r --require --plugin",
        writes="""
            -a -A -x --autocorrect --autocorrect-all --auto-correct --auto-gen-config --fix-layout
            -o --out
        """,
        loads="-c --config",
        values="--only --except -f --format --fail-level",
    ),
    "rake": Program(
        runs="-e --execute -E --execute-continue -p --execute-print -r --require",
        loads="-f --rakefile -I --libdir -R --rakelibdir -N -g --system -C --directory",
        operands={r"\w+=": "sets a variable of the build"},
    ),
    "go": Program(
        runs="-exec -toolexec -vettool -http -compiler -gccgoflags -ldflags -gcflags -asmflags",
        writes="""
            -o -pkgdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace
            -outputdir -test.outputdir -c -i -fix -artifacts -fuzz
        """,
        loads="-overlay -modfile -C -modcacherw -pgo -test.testlogfile",
        values="""
            -run -bench -count -timeout -parallel -tags -cpu -covermode -coverpkg -benchtime -skip
            -p -mod -shuffle -vet -buildmode -f -list
        """,
        harmless="--cover --count --cpu --race --trimpath --covermode --coverpkg",
        exempt={"-o": "/dev/null", "-ldflags": r"[^\-]*-[sw]( -[sw])?"},
        dashes=True,
        subcommands=True,
    ),
    "go/env": Program(writes="-w -u"),
    "go/generate": Program(),
    "gofmt goimports gofumpt": Program(writes="-w -cpuprofile -memprofile", values="-r"),
    "golangci-lint": Program(
        writes="--fix --out-format --output.text.path --cpu-profile-path --mem-profile-path",
        loads="-c --config",
        values="-E --enable -D --disable --timeout",
    ),
    "cargo": Program(
        runs="--config -Z --open",
        writes="--target-dir --out-dir --artifact-dir --fix --allow-dirty --timings --root",
        loads="--manifest-path -C --registry --index --lockfile-path --path --git",
        values="""
            -p --package -j --jobs --features -F --bin --example --test --bench --profile
            --target --color --message-format --exclude --filter
        """,
        harmless="--target --all --all-features --all-targets",
        exempt={"-C": r"(opt-level|debuginfo)=.*", "--timings": ""},
        attached="--timings",
        operands={r"\+": "takes another toolchain"},
        subcommands=True,
    ),
    "cargo/rustc cargo/rustdoc": Program(operands={"-": "hands options to the compiler"}),
    "cargo/clippy": Program(
        operands={r"-(?!-?[DWAF]|-(deny|warn|allow|forbid|no-deps))": "hands options to rustc"}
    ),
    "cargo/fmt": Program(operands={"--(config|emit)": "hands a configuration to rustfmt"}),
    "cargo/test cargo/bench": Program(operands={"--logfi": "writes a file"}),
    "rustc rustdoc": Program(
        runs="-C --codegen -Z --test-builder --runtool --sysroot",
        writes="-o --out-dir --emit --output",
        loads="-L --extern",
        operands={"@": "takes arguments from a file"},
    ),
    "rustfmt": Program(
        loads="--config-path --config", values="--edition --emit --color", harmless="--check"
    ),
    "clang-tidy": Program(
        runs="-load -extra-arg -extra-arg-before",
        writes="-fix -fix-errors -fix-notes -export-fixes -store-check-profile",
        loads="-config-file -config -vfsoverlay",
        values="-p -checks -header-filter -line-filter",
        dashes=True,
    ),
    "clang-format": Program(
        writes="-i",
        loads="-style -fallback-style -files",
        exempt=dict.fromkeys(("-style", "-fallback-style"), "[A-Za-z]+"),
        dashes=True,
    ),
    "cppcheck": Program(
        runs="--addon --addon-python --clang",
        writes="--output-file --checkers-report --plist-output --cppcheck-build-dir --dump",
        loads="""
            --rule-file --library --project --config-file --includes-file --file-list
            --suppressions-list --suppress-xml
        """,
        harmless="--suppress",
    ),
    "protoc": Program(
        runs="--plugin",
        writes="-o --descriptor_set_out --dependency_out",
        operands={"@": "takes arguments from a file"},
    ),
    "ghc": Program(
        runs="-e -F -pgm* -opt* -fplugin* -ghci-script", writes="-o -odir -hidir", dashes=True
    ),
    "swift": Program(
        runs="-Xlinker -Xswiftc -Xcc -Xcxx -Xmanifest --toolset --swift-sdk --destination",
        writes="--scratch-path --build-path --cache-path --xunit-output",
        loads="--package-path --config-path --security-path --pkg-config-path --disable-sandbox",
        values="-c --configuration --filter --skip -j --jobs --product --target",
    ),
    "mix": Program(runs="-e --eval -r --require --rpc-eval"),
    "elixir iex": Program(runs="-e --eval -r -S --erl -pa -pz -pr --rpc-eval", permutes=False),
    "phpunit": Program(
        runs="--printer --loader --extension",
        writes="--log-* --coverage-* --testdox-* --cache-directory",
        loads="--bootstrap -c --configuration --include-path -d",
        values="--filter --testsuite --group --exclude-group",
    ),
    "gcc g++ cc c++ clang clang++": Program(
        runs="-wrapper -fplugin* -specs -B* -Xlinker -Wl,* -fuse-ld -load -Xclang --config -Wa,*",
        writes="-o* -dumpdir -save-temps -MF -MD",
        loads="-include -imacros -isystem --sysroot",
        operands={"@": "takes arguments from a file"},
        dashes=True,
    ),
    "javac java": Program(
        runs="-javaagent* -agentlib* -agentpath* -processor -processorpath -J* -XX* -Xrun*",
        writes="-d -s -h",
        loads="-cp -classpath --class-path --module-path --upgrade-module-path -Xbootclasspath*",
        operands={"@": "takes arguments from a file"},
        dashes=True,
        permutes=False,
    ),
    "mvn mvnw": Program(
        runs="-D --define",
        writes="-l --log-file",
        loads="""
            -f --file -s --settings -gs --global-settings -t --toolchains -gt --global-toolchains
        """,
        values="-pl --projects -P -T --threads -rf",
        exempt=dict.fromkeys(("-D", "--define"), r"(skipTests|test|it\.test)(=.*)?"),
    ),
    "gradle gradlew": Program(
        runs="-I --init-script -D --system-prop -P --project-prop --include-build",
        writes="--project-cache-dir --write-locks --write-verification-metadata --profile",
        loads="-b --build-file -c --settings-file -p --project-dir -g --gradle-user-home -M",
        values="-x --exclude-task --tests --console --max-workers",
        harmless="--project",
    ),
    "dotnet": Program(
        runs="--logger -p --property --collect --additional-deps --roll-forward --diag",
        writes="-o --output --results-directory --artifacts-path",
        loads="-s --settings --configfile --source --test-adapter-path",
        values="-c --configuration -f --framework -r --runtime --filter -v --verbosity",
        exempt={"--logger": "console.*", "-p": "(?i)Configuration=.*"},
    ),
    "make gmake": Program(
        runs="-E --eval",
        loads="-f --file --makefile -C --directory -I --include-dir",
        values="-W --what-if --new-file --assume-new -o --old-file --assume-old",
        attached="-j --jobs -l --load-average -O --output-sync --debug",
        operands={r"[^\s=]+=": "sets a variable of the build, a program say"},
    ),
    "ninja": Program(runs="-t", loads="-f -C", values="-j -k -l -d -w"),
    "cmake": Program(
        runs="-P -E -C -G --toolchain -D --find-package -T --preset",
        writes="--trace-redirect --graphviz --install --prefix",
        values="-j --parallel --target -t --config -B -S",
        exempt={"-D": r"CMAKE_BUILD_TYPE(:\w+)?=.*"},
    ),
    "ctest": Program(
        runs="-S --script -SP --script-new-process --build-and-test -D --dashboard",
        writes="-O --output-log --output-junit",
        loads="--test-dir --resource-spec-file",
        values="-R -E -L -LE -j -C --timeout --repeat",
    ),
    "meson": Program(runs="--wrap --gdb-path --wrapper", loads="--native-file --cross-file -C"),
    "just": Program(
        runs="-c --command --shell --shell-arg --chooser --choose -e --edit --set",
        writes="--fmt --init --dump",
        loads="-f --justfile -d --working-directory --dotenv-path --dotenv-filename -g",
    ),
    "task": Program(loads="-t --taskfile -d --dir -g --global", writes="--init -i"),
    "bazel": Program(
        runs="--run_under --shell_executable --workspace_status_command --action_env",
        loads="--bazelrc --override_repository --output_base --script_path",
        dashes=True,
    ),
}
