"""Files to train a model on predictions of its own behaviour, with the controls that such a training needs."""

from selfexec.training.examples import Example, examples_of
from selfexec.training.sets import Sets, split_by_family, training_sets
from selfexec.training.writing import TrainingFiles, export_sft
