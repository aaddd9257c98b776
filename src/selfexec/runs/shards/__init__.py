"""A run in shares that several machines ask: which is whose, who is at work, what is whole, and how they are joined."""

from selfexec.runs.shards.gather import NotWhole, gathered, whole_shards
from selfexec.runs.shards.mark import leave_mark, read_mark
from selfexec.runs.shards.merge import join, refuse_unjoined
from selfexec.runs.shards.owner import Owner
from selfexec.runs.shards.refusals import clear_half_made, is_half_made, refuse_other_cut
from selfexec.runs.share import SHARDS, Shard, index_of, is_cut, shard_folders, shard_of
