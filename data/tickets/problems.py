"""Adverbials that may follow a fault, by the form of its verb; each fifth line belongs to the test set."""

AFTER_PRESENT = """
whenever I use <it|them>
as soon as I touch <it|them>
most of the time
in the middle of the night
every {days} minutes
at the worst moments
every single [time|morning|evening]
for no obvious reason
when I least expect it
all the time
if I leave <it|them> alone for {days} minutes
day and night
almost every day
at least once a day
after {days} minutes
on [Mondays|cold mornings|warm days]
the moment I look away
each time my [sister|brother|flatmate] comes near
before I even begin
more and more often
"""
AFTER_PAST = """
after {days} days
after {days} weeks
after the first use
after barely {days} hours
on the very first day
within {days} days
after only {days} uses
again
during the first week
right after I unpacked <it|them>
on the second try
in less than {days} weeks
straight away
overnight
last [Monday|Tuesday|Friday|Sunday]
in the middle of the day
on the third morning
while I was watching
in front of my guests
the day before yesterday
"""
AFTER_NEGATIVE = """
at all
no matter what I try
any more
whatever I do
straight out of the box
half the time
for the first {days} minutes
on some days
when I need <it|them>
even after {days} attempts
"""
AFTER_DIGITAL = """
on my phone
every {days} days
on all my devices
after {days} minutes
whenever I open it
on every browser
each time I travel
at night
as soon as I sign in
all the time
"""
