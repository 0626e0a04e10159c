"""Events while they are played: live pages, and the desks of their directors."""
