"""Python, and the tools around it."""

from agent_cli.approval.programs._program import Program

PROGRAMS = {
    "python pypy": Program(
        runs="-c -i",
        loads="-X",
        values="-W --check-hash-based-pycs",
        exempt={"-X": "(dev|utf8|faulthandler|importtime|tracemalloc).*"},
        operands={"-$": "runs what it reads"},
        module="-m",
        permutes=False,
    ),
    "unittest doctest compileall this venv ensurepip": Program(),
    "json.tool": Program(most=1),
    "pytest py.test": Program(
        runs="-p --pdbcls --pastebin",
        writes="""
            --basetemp --junitxml --junit-xml --log-file --report-log --result-log --html
            --debug --resultlog --cov-report --profile-svg --snapshot-update --inline-snapshot
        """,
        loads="-c --config-file --rootdir -o --override-ini --confcutdir --cov-config",
        values="""
            -k -m -n --maxfail --tb --deselect --ignore --ignore-glob -r -W --pythonwarnings
            --durations --durations-min --color --capture --log-level --log-cli-level --timeout
            --show-capture --verbosity --import-mode --lfnf --dist --numprocesses --random-order
        """,
        attached="--cov --debug",
        harmless="--cov --co",
        exempt={"-p": "no:.*", "--cov-report": "term|term-missing|term:skip-covered|"},
        operands={"@": "takes arguments from a file"},
    ),
    "pip": Program(
        runs="--python --global-option --install-option --config-settings -C --build-option",
        writes="""
            --log --root --prefix -t --target --src -d --dest -w --wheel-dir --report
            --break-system-packages --cache-dir -o --output
        """,
        loads="""
            -i --index-url --extra-index-url -f --find-links --trusted-host --proxy --cert
            --client-cert --pypi-url
        """,
        values="-r --requirement -c --constraint -e --editable --format --timeout --retries",
        harmless="--pre",
        subcommands=True,
    ),
    "pip/config": Program(verbs="list get debug"),
    "ruff": Program(
        writes="""
            --fix --fix-only --unsafe-fixes --add-noqa --add-ignore -o --output-file --cache-dir
        """,
        loads="--config",
        values="""
            --select --ignore --extend-select --extend-ignore --line-length --target-version
            --output-format --exclude --extend-exclude --stdin-filename --per-file-ignores
            --range --fixable --unfixable
        """,
    ),
    "black isort": Program(
        loads="--config --settings-path --sp --settings-file --settings",
        values="-l --line-length -t --target-version --include --exclude -p --profile -c --code",
    ),
    "autopep8 autoflake yapf pyupgrade": Program(
        writes="-i --in-place", loads="--global-config --style --config"
    ),
    "mypy dmypy": Program(
        runs="--python-executable --install-types",
        writes="""
            --cache-dir --junit-xml --any-exprs-report --cobertura-xml-report --html-report
            --linecount-report --linecoverage-report --lineprecision-report --txt-report
            --xml-report --xslt-html-report --xslt-txt-report --cache-map
        """,
        loads="--config-file --custom-typeshed-dir --custom-typing-module --shadow-file",
        values="""
            -m --module -p --package -c --command --python-version --platform --exclude
            --follow-imports --always-true --always-false --disable-error-code --enable-error-code
        """,
        operands={"@": "takes arguments from a file"},
    ),
    "pyright basedpyright": Program(
        runs="--pythonpath -v --venvpath --venv-path",
        writes="--createstub --writebaseline",
        loads="-p --project -t --typeshedpath --typeshed-path",
        values="--level --pythonversion --pythonplatform --threads --outputjson",
        harmless="--project",
    ),
    "pylint": Program(
        runs="--init-hook --load-plugins",
        writes="--output --generate-rcfile --generate-toml-config",
        loads="--rcfile",
        values="-d --disable -e --enable -f --output-format -j --jobs --ignore --msg-template",
        harmless="--output-format",
        operands={"@": "takes arguments from a file"},
    ),
    "flake8": Program(
        runs="--enable-extensions",
        writes="--output-file --tee",
        loads="--config --append-config --isolated",
        values="--select --ignore --extend-ignore --max-line-length --exclude --format -j",
    ),
    "bandit": Program(
        writes="-o --output", loads="-c --configfile --ini -b --baseline", values="-f -s -t -x"
    ),
    "semgrep": Program(
        writes="-o --output -a --autofix --json-output --sarif-output --text-output",
        loads="-c --config -f",
        values="-e --pattern -l --lang --exclude --include --severity",
    ),
    "coverage": Program(
        runs="--debug",
        writes="-o -d --directory --data-file",
        loads="--rcfile",
        values="--include --omit --fail-under --precision --sort --source --context --contexts",
        subcommands=True,
    ),
    "coverage/run": Program(module="-m", values="--include --omit --source --concurrency"),
    "tox": Program(
        runs="-x --override",
        writes="--workdir --result-json --notest",
        loads="-c --conf --root",
        values="-e -m -p --parallel --skip-env --discover --list-dependencies",
    ),
    "nox": Program(
        loads="-f --noxfile --envdir --report",
        values="-s --session --sessions -k -t -p --python --pythons",
    ),
    "pre-commit pre_commit": Program(loads="-c --config", values="--files --from-ref --to-ref"),
    "uv": Program(
        runs="-p --python",
        writes="--cache-dir -o --output-file --target --prefix",
        loads="""
            --config-file --env-file --index --default-index --index-url --extra-index-url
            --find-links --directory --project --with-requirements --with-editable
            --allow-insecure-host
        """,
        values="--with --extra --group --package --color --only-group -m --module",
        runner="run x",
        permutes=True,
    ),
    "uvx pipx": Program(
        runs="--from --python -p --spec --pip-args",
        loads="--index --index-url --default-index --config-file --env-file",
        values="--with",
        runner="",
        permutes=False,
    ),
    "poetry": Program(loads="-C --directory -P --project", runner="run"),
    "pipenv hatch rye pdm": Program(
        loads="--pypi-mirror --project -p -c --config --global --site-packages --index",
        runner="run",
    ),
    "jupyter": Program(
        runs="--execute", writes="--inplace --output --output-dir", loads="--config"
    ),
    "alembic django-admin": Program(loads="-c --config --settings --pythonpath"),
}
