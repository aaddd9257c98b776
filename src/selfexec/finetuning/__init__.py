"""Files to train a model on predictions of its own behaviour, with the controls that such a training needs."""

from selfexec.finetuning.examples import Example, examples_of
from selfexec.finetuning.sets import Sets, split_by_family, training_sets
from selfexec.finetuning.writing import TrainingFiles, export_sft
