"""The web of a class: the page of the phones, and the teacher's screen."""
