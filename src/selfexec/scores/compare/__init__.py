"""Models held against each other on the items that they share: two, all pairs, groups, checkpoints, release gates.

entrants     who is compared: models of one run or of several, each by a label of its own
measures     what they are compared by, item by item, and what is enough to go by
family       one metric of all of them: estimates, paired differences, ties
compare      `compare`
gates        `--fail-if`
tags         groups of models, contrasted with the model as unit
trends       `trend`: checkpoints in order
standings    who can be told apart, from scores at hand
differences  what comes out, as data
comparison   and as people read it
"""
