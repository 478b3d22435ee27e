"""Rows of tags: given, taken back and listed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import sqlalchemy as sa

from assay.model.errors import AssayError, UnknownNameError
from assay.store import tables as t
from assay.store.listed import ActivityRows
from assay.store.rows import ActivityRow
from assay.store.tags import check_number, check_tag, write_tags


class TaggedRows(ActivityRows):
    """What people call results by."""

    def tags(self, activities: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Return the tags of results by activity; one that has none is left out.

        Args:
            activities: Some thousand whose they are; ``None`` is all.
        """
        its = t.tag.c
        query = sa.select(its.activity, its.tag).order_by(its.tag)
        if activities is not None:
            query = query.where(its.activity.in_(activities))
        found: dict[str, tuple[str, ...]] = {}
        with self._engine.connect() as connection:
            for activity, tag in connection.execute(query):
                found[activity] = (*found.get(activity, ()), tag)
        return found

    def known_tags(self, *, limit: int) -> tuple[str, ...]:
        """Return tags that results have, the first by name, no more than so many."""
        its = t.tag.c.tag
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(its).distinct().order_by(its).limit(limit))
            return tuple(found.scalars())

    def tag(
        self, row: ActivityRow, *, add: Iterable[str] = (), remove: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Give a result tags and take others back; return those that it has then.

        Args:
            row: Its activity.
            add: Tags that it gets; one that it has already changes nothing.
            remove: Tags that it has no more.

        Raises:
            AssayError: A word is no tag, there are too many, or it is of another controller, or only linked.
            UnknownNameError: It has no such tag.
            MissingError: Its folder cannot be written.
        """
        self._require_here(row)
        more, less = {check_tag(word) for word in add}, set(remove)
        with self._engine.begin() as connection:
            its, activity = t.tag.c.activity == row.id, t.activity.c.id
            connection.execute(sa.select(activity).where(activity == row.id).with_for_update())
            before = set(connection.execute(sa.select(t.tag.c.tag).where(its)).scalars())
            if absent := sorted(less - before):
                raise UnknownNameError(kind="tag of this result", name=absent[0], known=before)
            after = check_number((before - less) | more)
            write_tags(row.folder, after)
            connection.execute(sa.delete(t.tag).where(its))
            put_tags(connection, row.id, after)
        return after

    def _require_here(self, row: ActivityRow) -> None:
        if row.controller is not None:
            msg = f"cannot tag {row.id}: it is of the controller '{row.controller}'"
            raise AssayError(msg, hint="give it the tag there")
        if not row.is_own and not _lies_in(self.home, row.folder):
            msg = f"cannot tag {row.id}: it is read from {row.folder}, where nothing is written"
            raise AssayError(msg, hint="assay result import takes a copy in, without --link")


def _lies_in(home: Path, folder: Path) -> bool:
    return folder.resolve().is_relative_to(home.resolve())


def put_tags(connection: sa.Connection, activity: str, tags: Iterable[str]) -> None:
    """Add the rows of a result's tags."""
    if rows := [{"activity": activity, "tag": tag} for tag in tags]:
        connection.execute(sa.insert(t.tag), rows)
