import ArgumentParser

/// `latticectl bench`.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures how fast events become states on this machine.",
        discussion: """
            session and view-model use two processes: this one coordinates, a worker applies 64-byte actions to a \
            64-byte state (measured as they are encoded, the coder included). Each measures round trips one after the \
            other, events in a row with at most 256 in flight, and the delivery of 1 KiB states to 100 clients in one \
            more process. Every event and every delivery is checked; a lost or a wrong one ends the run with exit 1, \
            and so does a run that takes longer than 120 s.

            PEERS_DIV divides the counts (20: only to see that it works). PEERS_DIR is where sockets are made, \
            by default a new temporary directory.
            """,
        subcommands: [BenchSessionCommand.self, BenchViewModelCommand.self, BenchLocalCommand.self]
    )
}
