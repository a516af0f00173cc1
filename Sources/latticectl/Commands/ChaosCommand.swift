import ArgumentParser
import LatticeChaos
import LatticeFaults

/// `latticectl chaos`.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Has things go wrong in real processes, and checks that every promise is kept.",
        discussion: """
            In rounds: a coordinator with three states of two features, and four clients, two of them in processes of \
            their own, send, cancel and watch by chance. Meanwhile connections are split, stalled and cut, workers are \
            killed and stopped, end in effects, crash or hang as they start, or leave processes behind, and one client \
            is killed; to the worker of the second feature, which has a group of its own, nothing happens, and it must \
            not notice. Then each event has to have ended, and as its outcome says, and whoever sent it to have been \
            shown that; nothing is lost, doubled, changed or out of order; each state that somebody was shown was one \
            that there was, and none went back; all see the same in the end, and a worker that has died leaves no \
            process and no descriptor behind. When all has been stopped no process, descriptor, socket, coordinator or \
            client is left.

            Behind its events a round calls distributed actors in three workers: from the coordinator's process, from \
            two clients in it, and from one that is killed, each in several lanes beside each other, directly and \
            through a pool. Calls are cancelled, have deadlines, throw, call back an actor of their caller, are large, \
            and kill their workers, while things go wrong as above. Then each call has to have ended once, for a \
            reason, and with its own answer if it has one; one that was not sent has not begun, one that was answered \
            has begun once, and those of a lane in their order; and no node has a call left in its tables.

            Each round prints its seed, and `--seed N --rounds 1` draws the same faults, events and calls again with \
            the same options; what meets what is up to the machine. Before each round the start of a worker is \
            measured; the limits of a start and of patience follow from that, so that a machine with other work has \
            more time. Events that take longer are late and counted. Events that have not ended when nothing has moved \
            for that long have never ended. Of a round that breaks a promise the fewest faults under which one is \
            broken are looked for and printed. Exit: 0 all kept, 1 one broken.
            """
    )

    @Option(help: "The seed of the first round; by default one that nobody has tried.")
    var seed: UInt64 = .random(in: 0...(.max))

    @Option(help: "How long to begin rounds, in minutes.")
    var minutes: Double = 1

    @Option(help: "How many rounds at most, 1 or more.")
    var rounds: Int = .max

    @Option(help: "Events of a round, 5 to 10000.")
    var events: Int = 1000

    @Option(
        help: """
            Calls of actors in all, 0 to 10000000: behind its events each round makes \(Chaos.callsOfRound) of them, or \
            all if they are fewer, until so many have ended or the time is over. With the events beside them 100000 \
            take four to eight minutes on two cores; in half a minute there are 10000 to 20000.
            """
    )
    var calls: Int = 100_000

    @Option(help: "Faults of a round on each link, 0 to 10000.")
    var faultsPerRound: Int = 60

    @Option(
        parsing: .upToNextOption,
        help: "Only these kinds of faults, with commas or spaces between them: \(Self.kinds).",
        transform: kinds(named:)
    )
    var faults: [[FaultPlan.Scope.Kind]] = [FaultPlan.Scope.Kind.allCases]

    func validate() throws {
        guard minutes >= 0, minutes.isFinite else { throw ValidationError("--minutes is a number from 0 on.") }
        guard rounds >= 1 else { throw ValidationError("--rounds is 1 or more.") }
        guard 5...10_000 ~= events else { throw ValidationError("--events is 5 to 10000.") }
        guard faults.contains(where: { !$0.isEmpty }) else { throw ValidationError("--faults names one at least.") }
        guard 0...10_000_000 ~= calls else { throw ValidationError("--calls is 0 to 10000000.") }
        guard 0...10_000 ~= faultsPerRound else { throw ValidationError("--faults-per-round is 0 to 10000.") }
    }

    @MainActor func run() async throws {
        let extent = ChaosExtent(events: events, faults: faultsPerRound, kinds: faults.flatMap(\.self))
        let isKept = try await BenchFolder.with { folder in
            var chaos = Chaos(seed: seed, extent, calls: calls, folder: folder, report: Console.put)
            return await chaos.run(rounds: rounds, within: .seconds(minutes * 60))
        }
        guard isKept else { throw ExitCode.failure }
    }

    private static var kinds: String { FaultPlan.Scope.Kind.allCases.map(\.rawValue).joined(separator: ", ") }

    private static func kinds(named names: String) throws -> [FaultPlan.Scope.Kind] {
        try names.split(separator: ",").map { name in
            guard let kind = FaultPlan.Scope.Kind(rawValue: String(name)) else {
                throw ValidationError("There is no fault \"\(name)\", but there are \(kinds).")
            }
            return kind
        }
    }
}
