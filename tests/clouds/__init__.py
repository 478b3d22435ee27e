"""Instances of OpenStack as places: the real openstacksdk over loopback, which reads what ``replies`` has."""
