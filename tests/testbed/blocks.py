"""Texts of apply_diff calls."""


def block(search: str, replace: str, start: int | str = "", *, rule: bool = True) -> str:
    """Write one block; search and replace are lines joined by LF, or "" for none."""
    head = f":start_line:{start}\n" if start != "" else ""
    parts = ["<<<<<<< SEARCH\n", head, "-------\n" if rule else ""]
    parts += [f"{search}\n" if search else "", "=======\n"]
    parts += [f"{replace}\n" if replace else "", ">>>>>>> REPLACE\n"]
    return "".join(parts)
