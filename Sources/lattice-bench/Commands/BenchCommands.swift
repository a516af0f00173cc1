import ArgumentParser

/// `lattice-bench relay`.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Events of a client that a coordinator passes on to a worker.",
        discussion: """
            A client sends actions of 64 bytes. This process coordinates: it passes the \
            actions on to a worker, and the worker's states of 64 bytes back to the client \
            and to a second client. All four are processes. The figures are: round-trips, \
            until the client's view model shows the state; events, with at most 256 in \
            flight; and deliveries of states of 1 KiB to 100 clients in another process.

            Round trips and events are measured again while the main actor of the \
            coordinator is blocked for 200 ms of every 250 ms. Context switches are those of \
            all processes, and allocations are only counted with glibc.

            Example: lattice-bench relay --only round-trips
            """
    )

    @OptionGroup var options: ProcessBenchOptions

    @MainActor func run() async throws {
        try await options.run { report in
            try await RelayBench(options: options).run(into: report)
            if options.measures(.deliveries) { try await FanOutBench(source: .client).run(into: report) }
        }
    }
}

/// `lattice-bench session`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Events between two processes, without view models.",
        discussion: """
            This process coordinates, and a worker applies actions of 64 bytes to a state of \
            64 bytes. The figures are: round-trips, one event after the other; events, with \
            at most 256 in flight; and deliveries of states of 1 KiB to 100 clients in \
            another process. Sizes are those of the encoded values, and all times include \
            encoding and decoding.

            Example: lattice-bench session --only round-trips
            """
    )

    @OptionGroup var options: ProcessBenchOptions

    @MainActor func run() async throws { try await options.run(at: .session) }
}

/// `lattice-bench view-model`.
struct ViewModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view-model",
        abstract: "Events between two processes, with a view model.",
        discussion: """
            This process coordinates, and a worker applies actions of 64 bytes to a state of \
            64 bytes. The figures are: round-trips, one event after the other; events, with \
            at most 256 in flight; and deliveries of states of 1 KiB to 100 clients in \
            another process. Sizes are those of the encoded values, and all times include \
            encoding and decoding.

            Example: lattice-bench view-model --only round-trips
            """
    )

    @OptionGroup var options: ProcessBenchOptions

    @MainActor func run() async throws { try await options.run(at: .viewModel) }
}

/// `lattice-bench load`.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "CPU load of two processes, idle and with events.",
        discussion: """
            A view model sends 1,000 events per second. The processor time for keeping \
            that pace is measured separately and subtracted.

            Example: lattice-bench load
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try await LoadBench().run(into: report) }
    }
}

/// `lattice-bench state`.
struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Changes of large states in several processes.",
        discussion: """
            empty, keyed, array: the time from a send until a view model in the coordinator \
            shows the change, for an empty state, for one of 1,000 and of 100,000 keyed \
            elements, and for one element of a plain array of 10 MB. keyed also measures \
            the bytes on each hop and the processor time of worker and coordinator.
            restore: a worker with a state of 50 MB is killed.
            cards: one of 10,000 cards is moved, until an observer in each of 5 clients \
            has seen it.
            cancel: effects are cancelled while 50 MB are in transit.
            memory: the memory that a state of 10 MB takes, and whether it grows.

            A measurement that takes too long ends with fewer rounds.

            Example: lattice-bench state --only keyed --only memory
            """
    )

    @OptionGroup var options: StateBenchOptions

    @MainActor func run() async throws { try await options.run() }
}

/// `lattice-bench faults`.
struct FaultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract: "The costs of crashes, hangs and bad neighbours.",
        discussion: """
            deaths: workers are killed, until the coordinator shows it, and until another \
            worker has served an event: after a stable and after a short incarnation, and \
            with a state of 10 MB.
            hangs: a turn does not end, until its worker is ended, and until its event is \
            in quarantine.
            neighbours: round trips beside a worker of another group that crashes \
            repeatedly, computes without end, or allocates memory until it is ended, \
            compared with processes that do the same and are no workers.
            flood: round trips of a client beside one that floods.
            stopped: deliveries to 99 clients beside a client that is stopped.
            coordinator: a coordinator is killed, until none of its processes is left.
            workers: 100 instances with one worker each, until all are served, and the \
            memory of each worker.
            crowd: 1,000 clients in 10 processes, until all of them show who is there, and \
            again after half of them were killed; and the memory and descriptors of each.
            deadlines: 10,000 events of a client with random deadlines, whose effects run \
            in a worker, from the deadline until the outcome; and again while the worker \
            is killed and stopped.

            Comparisons alternate with their reference. Their figures, and the ratio, are \
            medians of the rounds.

            Example: lattice-bench faults --only deaths
            """
    )

    @OptionGroup var options: FaultBenchOptions

    @MainActor func run() async throws { try await options.run() }
}

/// `lattice-bench operating`.
struct OperatingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operating",
        abstract: "Tools that look into a busy coordinator.",
        discussion: """
            A client in another process sends events to 1,000 instances, which one worker \
            serves: as many as possible, and 10,000 a second. The figures are the events \
            a second without and beside a tool that does what latticectl top does, and \
            one that does what latticectl watch does, in rounds in which both alternate; \
            what the tools take; and the time of a description while 100,000 events wait, and \
            beside 200,000 actors.

            Example: lattice-bench operating
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run(within: .seconds(480)) { report in try await OperatingBench().run(into: report) }
    }
}

/// `lattice-bench actors`.
struct ActorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "actors",
        abstract: "Calls of a distributed actor in a worker.",
        discussion: """
            The first figure is the time in which the Swift runtime alone calls a method by \
            its name, in this process and without encoding. It is followed by round trips \
            of 64 bytes one after the other, from a task on the thread that reads the \
            socket, and with at most 256 calls in flight; by one-way calls; and by a stream \
            of small numbers. Allocations are those of the reading threads, and are only \
            counted with glibc.

            Example: lattice-bench actors
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try await ActorBench().run(into: report) }
    }
}

/// `lattice-bench pool`.
struct PoolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pool",
        abstract: "Computing jobs in a pool of 1, 2, 4 and 8 workers.",
        discussion: """
            Each job takes about 5 ms. The reference are threads of this process that have \
            divided the jobs in advance, one thread for each worker, but at most one for \
            each core. The figures are medians of rounds in which both alternate.

            Example: lattice-bench pool
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try await PoolBench().run(into: report) }
    }
}

/// `lattice-bench jobs`.
struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Jobs in workers that take one at a time.",
        discussion: """
            The figures are: the time of a first job with the start and the end of its \
            coordinator and worker; empty jobs one after the other; jobs per second of \
            empty jobs at width 1 and 2, and of jobs of 1 ms and 100 ms at width 2, all of \
            which wait in the queue; and the time from the moment at which a job passes its \
            limit until the next job has ended in the new worker.

            Example: lattice-bench jobs --json
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try await JobBench().run(into: report) }
    }
}

/// `lattice-bench local`.
struct LocalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "local",
        abstract: "Sends and effects in this process.",
        discussion: """
            The figures are: the bare call of an interactor; a send with its view state \
            updated, with an observer notified, in a child three scopes down, and with one \
            element of a large array changed; effects one after the other, many at once, \
            and one that emits many actions. It also checks that many sends leave nothing \
            in memory. Allocations are those of the sending thread, and are only counted \
            with glibc.

            Example: lattice-bench local
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in
            try LocalSendBench().run(into: report)
            try await LocalEffectBench().run(into: report)
            try await LocalComputingBench().run(into: report)
            // This runs last, because the 10 MB that it frees would make later allocations slower.
            try LargeStateBench().run(into: report)
        }
    }
}

/// `lattice-bench coding`.
struct CodingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coding",
        abstract: "Encoding and decoding values in this process.",
        discussion: """
            The figures are medians, for collections of about 10 MB and for a structure of \
            96 bytes.

            Example: lattice-bench coding
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in try CodingBench().run(into: report) }
    }
}
