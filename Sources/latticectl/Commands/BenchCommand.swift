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
        subcommands: [
            BenchSessionCommand.self, BenchViewModelCommand.self, BenchLoadCommand.self, BenchStateCommand.self,
            BenchFaultsCommand.self, BenchActorsCommand.self, BenchPoolCommand.self, BenchLocalCommand.self,
            BenchCodingCommand.self,
        ]
    )
}

/// `latticectl bench session`.
struct BenchSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Across two processes, as the session sees it: no view model, no main actor."
    )

    @OptionGroup var options: ProcessBenchOptions

    @MainActor func run() async throws { try await options.run(at: .session) }
}

/// `latticectl bench view-model`.
struct BenchViewModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view-model",
        abstract: "Across two processes, as a view model on the main actor sees it."
    )

    @OptionGroup var options: ProcessBenchOptions

    @MainActor func run() async throws { try await options.run(at: .viewModel) }
}

/// `latticectl bench load`.
struct BenchLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Across two processes: what they take of a core, idle and with 1,000 events a second.",
        discussion: "An event each millisecond, sent by a view model. What keeps that time is taken off."
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try await LoadBench().run(into: report) }
    }
}

/// `latticectl bench state`.
struct BenchStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Across two processes and more: what a change of a large state costs, and what a large state costs.",
        discussion: """
            One of 1,000 and of 100,000 keyed elements changes, and one of a plain array of 10 MB: from the send to its \
            end at a view model of the coordinator, beside a state that is empty. Bytes on each hop, and the processor \
            time of worker and coordinator. A worker with 50 MB is killed. One of 10,000 cards is moved, until an \
            observer in each of 5 clients has seen it. Effects are cancelled while 50 MB are on the way. What 10 MB \
            take in memory, and whether that grows.

            A measurement that takes too long ends with fewer rounds.
            """
    )

    @OptionGroup var options: StateBenchOptions

    @MainActor func run() async throws { try await options.run() }
}

/// `latticectl bench faults`.
struct BenchFaultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract: "Across many processes: what the death of one costs, and what one costs the others that goes wrong.",
        discussion: """
            Workers are killed: until the coordinator shows it, and until another one has served an event, after a life \
            that was stable, after a short one, and with a state of 10 MB. A turn does not end: until its worker is \
            ended, and until its event is in quarantine. Round trips beside a worker of another group that crashes again \
            and again, computes for ever, or takes memory until it is ended; against those beside processes that do the \
            same and are no workers. Those of a client beside one that floods, and deliveries to 99 clients beside one \
            that is stopped; each against the same without it. A coordinator is killed: until no process is left of \
            those that it, and its worker, have started. 100 instances with a worker each: until all serve, and what \
            each takes of memory.

            What is compared is measured in rounds by turns; the figures are medians of the rounds, and so is how many \
            times as long it takes. A run that takes longer than 480 s ends with exit 1.
            """
    )

    @OptionGroup var options: FaultBenchOptions

    @MainActor func run() async throws { try await options.run() }
}

/// `latticectl bench actors`.
struct BenchActorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "actors",
        abstract: "Across two processes: calls of a distributed actor in a worker.",
        discussion: """
            What the language itself takes to call a method by its name is measured first, in this process and without \
            a wire. Then round trips of 64 bytes one after the other, from a task on the thread that reads the socket, \
            and with at most 256 in flight; calls for whose answers nobody waits; and a stream of small numbers. Every \
            answer is checked. Allocations are those of the threads that read, where the C library is glibc.
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try await ActorBench().run(into: report) }
    }
}

/// `latticectl bench pool`.
struct BenchPoolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pool",
        abstract: "Computing jobs in a pool of 1, 2, 4 and 8 workers.",
        discussion: """
            Each job takes about 5 ms. How long all of them take is set beside threads of this process that have split \
            them from the beginning, one for each worker, but no more than there are cores: the figures are medians of \
            rounds in which both take turns. Every result is checked.
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try await PoolBench().run(into: report) }
    }
}

/// `latticectl bench local`.
struct BenchLocalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "local",
        abstract: "In this process: what sends and effects cost, and what they allocate.",
        discussion: """
            From the bare call of an interactor to a send with its view state updated, an observer told, a child three \
            scopes down, and one element of a large array changed; effects one after the other, many at once, and one \
            that emits many actions. Every result is checked, and that many sends leave nothing in memory.

            Allocations are those of the thread that sends, and are counted where the C library is glibc.
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in
            try LocalSendBench().run(into: report)
            try await LocalEffectBench().run(into: report)
            try await LocalComputingBench().run(into: report)
            // The last: what allocates afterwards pays for what it leaves of its 10 MB.
            try LargeStateBench().run(into: report)
        }
    }
}

/// `latticectl bench coding`.
struct BenchCodingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coding",
        abstract: "In this process: what it takes to encode and to decode values.",
        discussion: "Medians, for collections of about 10 MB and for a structure of 96 bytes. Every value is compared."
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try CodingBench().run(into: report) }
    }
}
