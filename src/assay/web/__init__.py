"""The web pages of the four managements: machines, scenes, activities, results.

A page shows what a command of the same name prints, by one context that is also its JSON; what a page
changes is a typed request that becomes a command. Nothing is measured, computed or drawn here.
"""
