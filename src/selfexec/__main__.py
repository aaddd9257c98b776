from selfexec.cli import main

main()
