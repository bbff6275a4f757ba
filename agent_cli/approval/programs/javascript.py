"""JavaScript's runtimes, package managers and checkers."""

from agent_cli.approval.programs._program import Program

_PACKAGES = Program(
    runs="""
        --script-shell --shell --node-options --git --viewer --editor --init-module --call -c
        --node-gyp --python --package --node-arg -p --onload-script --config.* --shell-mode
        --shell-emulator --browser --ssh
    """,
    writes="""
        --cache --logs-dir --output-file --pack-destination -g --global --location --lockfile-dir
    """,
    loads="""
        --userconfig --globalconfig --prefix -C --dir --cwd --registry --proxy --https-proxy
        --http-proxy --noproxy --cafile --ca --cert --key --use-yarnrc --modules-folder
        --store-dir --tmp --local-prefix --pnpmfile --global-pnpmfile --npmrc-auth-file
        --virtual-store-dir --env-file
    """,
    values="-w --workspace --omit --include --loglevel --filter -F --depth --tag --otp",
    harmless="--parseable --prod --color",
    dashes=True,
    subcommands=True,
    runner="exec x dlx",
)

PROGRAMS = {
    "npm pnpm yarn yarnpkg": _PACKAGES,
    "npm/config": Program(verbs="get list ls"),
    "npx pnpx bunx": Program(
        runs="-c --call -p --package --node-arg -n --shell --script-shell --node-options",
        loads="--userconfig --globalconfig --prefix --registry --cache",
        values="-w --workspace",
        runner="",
        permutes=False,
    ),
    "corepack": Program(runner=""),
    "bun": Program(
        runs="-e --eval -p --print --preload -r --require --import --shell --define --loader",
        writes="--outdir --outfile --install",
        loads="-c --config --cwd --env-file --tsconfig-override",
        values="--port --target --filter",
        runner="x",
    ),
    "deno": Program(
        runs="-A --allow-all --allow-run --allow-ffi --allow-sys --eval --preload --import",
        writes="--allow-write -W --output -o --coverage --junit-path --lock-write --allow-env",
        loads="-c --config --import-map --lock --env --env-file --location --cert",
    ),
    "node nodejs": Program(
        runs="""
            -e --eval -p --print -r --require --import --loader --experimental-loader -i
            --interactive --inspect --inspect-brk --inspect-wait --run --openssl-config
            --snapshot-blob --build-snapshot --experimental-sea-config --test-reporter
            --openssl-shared-config --node-snapshot
        """,
        writes="""
            --prof --cpu-prof --heap-prof --heapsnapshot-signal --heapsnapshot-near-heap-limit
            --redirect-warnings --trace-event-file-pattern --trace-event-categories --report-dir
            --report-directory --report-filename --report-on-signal --diagnostic-dir
            --test-reporter-destination --cpu-prof-dir --heap-prof-dir --perf-prof --trace-events
            --localstorage-file --build-sea --test-update-snapshots --disable-proto --logfile
        """,
        loads="""
            --env-file --env-file-if-exists --experimental-config-file --icu-data-dir -C
            --conditions --policy --experimental-policy --experimental-default-config-file
            --test-global-setup
        """,
        values="--input-type --max-old-space-size --stack-size --title --test-name-pattern",
        harmless="--test --watch",
        operands={"-$": "runs what it reads"},
        permutes=False,
    ),
    "ts-node tsx": Program(
        runs="-e --eval -p --print -r --require -C --compiler --import --loader -i",
        loads="-P --project --cwd --tsconfig",
        permutes=False,
    ),
    "tsc": Program(
        writes="""
            --outDir --outFile --out --declarationDir --tsBuildInfoFile --generateTrace
            --generateCpuProfile --init --mapRoot
        """,
        loads="--plugins --typeRoots",
        values="-p --project -t --target -m --module --lib --jsx --moduleResolution",
        operands={"@": "takes arguments from a file"},
        dashes=True,
        folds=True,
    ),
    "eslint": Program(
        runs="""
            --rulesdir --resolve-plugins-relative-to --plugin --parser -f --format --init
            --inspect-config --mcp
        """,
        writes="""
            --fix -o --output-file --cache-location --cache-file --suppress-all
            --suppress-rule --prune-suppressions --suppressions-location
        """,
        loads="-c --config --parser-options --flag",
        values="--ext --rule --env --global --ignore-path --ignore-pattern --max-warnings",
        harmless="--color --cache --cache-strategy",
        exempt=dict.fromkeys(
            ("-f", "--format"),
            "stylish|json|compact|unix|html|checkstyle|tap|junit|json-with-metadata",
        ),
    ),
    "oxlint": Program(
        writes="--fix --fix-suggestions --fix-dangerously --init",
        loads="-c --config --tsconfig",
        values="-A --allow -W --warn -D --deny --ignore-path -f --format",
    ),
    "playwright": Program(
        runs="--reporter",
        writes="--output -u --update-snapshots",
        loads="-c --config --tsconfig",
        values="-g --grep -j --workers --project --retries --timeout --shard --repeat-each",
        exempt={"--reporter": "list|line|dot|json|github"},
    ),
    "cypress": Program(
        runs="-r --reporter -b --browser",
        loads="-C --config-file -c --config -P --project -e --env -o --reporter-options",
        values="-s --spec",
    ),
    "nodemon": Program(runs="-x --exec -r --require", loads="--config"),
    "prettier": Program(
        runs="--plugin --plugin-search-dir",
        writes="--write -w --cache-location",
        loads="--config --config-precedence --editorconfig",
        values="--parser --ignore-path --log-level --print-width --tab-width --stdin-filepath",
        exempt={"--config-precedence": ".*"},
    ),
    "biome": Program(
        writes="--write --fix --apply --apply-unsafe --unsafe --suppress",
        loads="--config-path --config",
        values="--max-diagnostics --diagnostic-level --reporter",
    ),
    "stylelint": Program(
        runs="--custom-syntax --custom-formatter -f --formatter",
        writes="--fix -o --output-file --cache-location",
        loads="-c --config --config-basedir",
        values="--ignore-path --max-warnings",
        exempt=dict.fromkeys(("-f", "--formatter"), "compact|github|json|string|tap|unix|verbose"),
    ),
    "jest": Program(
        runs="""
            --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --transform --reporters
            --resolver --runner --testRunner --testEnvironment --filter --watchPlugins
            --snapshotSerializers --preset --haste --testSequencer --testResultsProcessor
            --moduleNameMapper --prettierPath --dependencyExtractor
        """,
        writes="-u --updateSnapshot --outputFile --coverageDirectory --cacheDirectory --init",
        loads="-c --config --rootDir --roots --projects --env --modulePaths",
        values="-t --testNamePattern --testPathPattern --maxWorkers -w --coverageReporters --shard",
        harmless="--coverage --watch",
        folds=True,
    ),
    "vitest": Program(
        runs="--reporter --environment --pool --browser --globalSetup --api",
        writes="-u --update --outputFile --coverage.reportsDirectory",
        loads="-c --config -r --root --dir --workspace --project",
        values="-t --testNamePattern --shard --retry --maxWorkers",
        exempt={"--reporter": "default|verbose|dot|json|tap|basic", "--environment": "node|jsdom"},
    ),
    "mocha": Program(
        runs="-r --require --import --loader -n --node-option -R --reporter -u --ui --file",
        writes="-O --reporter-option --reporter-options",
        loads="-c --config --package --opts --ignore",
        values="-g --grep -f --fgrep -t --timeout -s --slow -j --jobs",
        exempt={"-R": "spec|dot|tap|json|min|list", "--reporter": "spec|dot|tap|json|min|list"},
    ),
    "webpack vite rollup esbuild parcel next": Program(
        runs="-p --plugin --import-map --loader --require -r",
        writes="-o --output-path --outDir --outfile --outdir --file --dir --metafile --profile",
        loads="-c --config --configPlugin --root --tsconfig --env --env-file",
        values="--mode --host --port --target",
    ),
}
