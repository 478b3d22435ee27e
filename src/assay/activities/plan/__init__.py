"""From a scene to a plan that can be run: arms, processors, memory, images, data, room, and what is refused
beforehand.
"""
