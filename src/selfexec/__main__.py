from selfexec.cli import process

process()
