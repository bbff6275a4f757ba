"""Names of files that hold keys and passwords: refused to every tool, for reading and writing.

A line `!NAME` in the .agentignore of the root that the file lies in lifts this for the files that
it names; outside the roots nothing does. Lists still name such files: that there is a `.env` is
no secret. Only names count, links resolved: another hard link to such a file is not traced unless
there is an .agentignore, and public certificates called `.pem` are refused with the keys.
"""

from agent_cli.workspace._protected import plain

_NAMES = frozenset(
    {
        ".env", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".pypirc",
        ".htpasswd", ".vault-token", ".dockercfg", ".s3cfg", ".boto",
        "application_default_credentials.json",
        "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
    }
)  # fmt: skip
_ENDINGS = (
    ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".p8", ".pk8", ".kdbx",
)  # fmt: skip
_TEMPLATES = (".example", ".sample", ".template", ".dist")
_DIRECTORIES = frozenset({".ssh", ".gnupg"})
_PLACES = frozenset(
    {
        (".aws", "credentials"), (".docker", "config.json"), (".kube", "config"),
        ("gh", "hosts.yml"), (".cargo", "credentials"), (".cargo", "credentials.toml"),
        (".gem", "credentials"),
    }
)  # fmt: skip
"""The last two names of a path."""


def is_secret(path: str) -> bool:
    """Whether the path names a file of secrets, whatever its case or disguise."""
    parts = [plain(part) for part in path.split("/")]
    name = parts[-1]
    return (
        name in _NAMES
        or name.endswith(_ENDINGS)
        or (name.startswith(".env.") and not name.endswith(_TEMPLATES))
        or tuple(parts[-2:]) in _PLACES
        or not _DIRECTORIES.isdisjoint(parts[:-1])
    )
