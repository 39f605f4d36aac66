"""Commands that were typed otherwise before: the old words still work for one version, and say so."""

from typing import Any

from typer.core import TyperGroup

from fedtopics.commands import options

MOVED = {
    "privacy": (),
    "coordinator": ("federation", "coordinator"),
    "party": ("federation", "party"),
    "run": ("federation", "run"),
    "simulate": ("federation", "simulate"),
}


class WithOldNames(TyperGroup):
    """The commands of `fedtopics`, also by the names that they had in version 0.1."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is meant; a line on stderr where it was called by an old name."""
        if args[0] in self.commands or args[0] not in MOVED:
            return super().resolve_command(ctx, args)
        old, now = args[0], [*MOVED[args[0]], *args[1:]]
        if not now or now[0].startswith("-"):
            options.say(ctx.get_help())
            ctx.exit()
        of_family = args[1:2] if old != "simulate" else []  # the word after it belongs to the name
        typed = " ".join(["fedtopics", old, *of_family])
        today = " ".join(["fedtopics", *MOVED[old], *of_family])
        options.say(f"note: `{typed}` is now `{today}`; the old name goes with the next version", beside=True)
        return super().resolve_command(ctx, now)
