"""Programs that manage containers, clusters and clouds."""

from agent_cli.approval.programs._program import Program

_DOCKER = Program(
    runs="-H --host --entrypoint --privileged --cap-add --device --security-opt --pid --ipc",
    writes="-o --output --cidfile --iidfile --metadata-file",
    loads="""
        --config -c --context --env-file -v --volume --mount --secret --ssh --tlscacert
        --tlscert --tlskey --volumes-from -f --file --project-directory --net --network --userns
    """,
    values="--format --filter -n --tail --since --until --name -l --label -p --publish -u -w",
    subcommands=True,
)

PROGRAMS = {
    "docker podman nerdctl": _DOCKER,
    **{
        f"{program}/{verb}": Program(exempt={"-f": ".*"})
        for program in ("docker", "podman", "nerdctl")
        for verb in ("logs", "ps", "images", "inspect", "version")
    },
    "kubectl oc": Program(
        runs="--kubeconfig --raw --overrides",
        writes="--cache-dir --profile --profile-output --log-file --log-dir",
        loads="-s --server --token --as --client-certificate --client-key --certificate-authority",
        values="""
            -n --namespace -l --selector -o --output -f --filename -c --container --context
            --cluster --field-selector --sort-by --tail --since
        """,
        subcommands=True,
    ),
    "kubectl/edit": Program(always="runs an editor"),
    "kubectl/config": Program(
        verbs="view get-contexts current-context get-clusters get-users", runs="--kubeconfig"
    ),
    "helm": Program(
        runs="--post-renderer --post-renderer-args",
        writes="--output-dir -d --destination",
        loads="--kubeconfig --repository-config --registry-config --kube-apiserver --repo",
        values="-n --namespace -f --values --set --version -o --output",
    ),
    "terraform tofu": Program(
        runs="-plugin-dir",
        writes="-out -state -state-out -backup -generate-config-out -lock-file",
        loads="-chdir -backend-config -from-module",
        values="-var -var-file -target",
        dashes=True,
    ),
    "ansible ansible-playbook": Program(
        runs="-e --extra-vars -m --module-name --ssh-common-args --ssh-extra-args --become-method",
        loads="-M --module-path --vault-password-file --private-key --connection -c",
    ),
    "brew": Program(verbs="list info search outdated deps config doctor home leaves uses"),
    "sqlite3": Program(
        runs="-cmd -init -interactive",
        operands={
            r"(?is:.*)(\.(sh|sys|o|ou|ex|exc|sa|ba|re|rea|lo|im|c|cl|cd|q)\w*\b|"
            r"load_extension|writefile|attach)": "runs or writes through the shell of sqlite"
        },
        dashes=True,
    ),
    "psql mysql": Program(
        runs="-c --command -e --execute -f --file --pager --plugin-dir",
        writes="-o --output -L --log-file --tee",
        loads="--defaults-file --defaults-extra-file -v --set --variable",
    ),
}
