import ArgumentParser
import LatticeChaos
import LatticeFaults
import LatticeToolSupport

/// `latticectl chaos`.
///
/// In each round a coordinator serves three states of two features to four clients, two of which have their own
/// processes. The clients send, cancel and watch at random. Meanwhile, connections are split, stalled and cut. Workers
/// are killed and stopped, end during effects, crash or hang while starting, or leave processes behind. One client is
/// killed. The worker of the second feature has its own group, gets no faults, and must not be affected.
///
/// Then the round checks these guarantees. Each event has ended, its outcome is correct, and its sender has seen the
/// outcome. No event is lost, doubled, changed or out of order. Each state that was shown is one that existed, and no
/// client went back to an earlier state. All clients see the same state in the end. A worker that has died leaves no
/// process and no descriptor behind. After everything has been stopped, no process, descriptor, socket, coordinator or
/// client is left.
///
/// At the same time, a round calls distributed actors in three workers: from the coordinator's process, from two
/// clients in that process, and from a client that is killed. Each caller has several parallel lanes and calls directly
/// and through a pool. Calls are cancelled, have deadlines, throw, call back an actor of their caller, are large, or
/// kill their workers. Then each call has to have ended once, with a reason or with its own answer. A call that was not
/// sent has not begun. A call that was answered has begun once, and the calls of a lane have begun in order. No node
/// has a call left in its tables.
///
/// Then a round runs jobs in four workers: from the coordinator's process, from a client in that process, and from a
/// client that is killed. With half of the seeds a worker takes three jobs at a time. One job of three crashes, hangs,
/// leaks, computes without end, starts programs, exits without a result, ignores SIGTERM or prints without end.
/// Meanwhile workers are killed and lose their connections. Each job has to have ended once, with the right cause, and
/// at its limit: half a second later at most on a machine that has nothing else to do, and later in proportion to the
/// start of a worker and to the delays that this process measures. All other jobs have succeeded. No attempt has begun
/// twice, except those that another job of the same worker has interrupted.
///
/// A seed with the same options draws the same faults, events, calls and jobs. Their timing depends on the machine.
/// Before each round, the start of a worker is measured. The timeouts of a start and of waiting are derived from it, so
/// that a busy machine gets more time. Events that take longer are counted as late. If nothing has moved for that time,
/// the remaining events count as never ended. When a round breaks a guarantee, the command searches for the smallest
/// set of faults that breaks it too.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Injects faults into real processes and checks every guarantee.",
        discussion: """
            Runs rounds with a coordinator, workers and clients. While events are sent and \
            actors are called at random, connections are cut and processes are killed, \
            stopped or crash, and jobs crash, hang and leak. Then it checks that each \
            event, call and job has ended once with a correct outcome, that no state was \
            lost, doubled or reordered, and that no process, descriptor or socket is left.

            Each round prints its seed, which draws the same faults and events again. If a \
            round breaks a guarantee, it prints the smallest set of faults that does.

            Example: latticectl chaos --seed 42 --rounds 1

            Exit codes: 0 all guarantees held, 1 a guarantee was broken, 64 wrong usage.
            """
    )

    @Option(help: "The seed of the first round. (default: a random one)")
    var seed: UInt64?

    @Option(help: "The time in minutes during which new rounds begin.")
    var minutes: Double = 1

    @Option(help: "The maximum number of rounds, at least 1. (default: no maximum)")
    var rounds: Int?

    @Option(help: "The events of a round, 5 to 10000.")
    var events: Int = 1000

    @Option(
        help: """
            All actor calls together, 0 to 10000000. A round makes at most \
            \(Chaos.callsOfRound). 100000 calls take 4 to 8 minutes on two cores.
            """
    )
    var calls: Int = 100_000

    @Option(
        help: """
            All jobs together, 0 to 1000000. A round runs at most \(Chaos.jobsOfRound), in \
            about 10 seconds on two cores.
            """
    )
    var jobs: Int = 10_000

    @Option(help: "The faults of a round on each link, 0 to 10000.")
    var faultsPerRound: Int = 60

    @Option(
        parsing: .upToNextOption,
        help: "The kinds of faults, separated by commas or spaces: \(Self.kinds).",
        transform: kinds(named:)
    )
    var faults: [[FaultPlan.Scope.Kind]] = [FaultPlan.Scope.Kind.allCases]

    func validate() throws {
        guard minutes >= 0, minutes.isFinite else { throw ValidationError("--minutes has to be a number from 0 on.") }
        guard rounds ?? 1 >= 1 else { throw ValidationError("--rounds has to be 1 or more.") }
        guard 5...10_000 ~= events else { throw ValidationError("--events has to be 5 to 10000.") }
        guard faults.contains(where: { !$0.isEmpty }) else {
            throw ValidationError("--faults has to name at least one kind.")
        }
        guard 0...10_000_000 ~= calls else { throw ValidationError("--calls has to be 0 to 10000000.") }
        guard 0...1_000_000 ~= jobs else { throw ValidationError("--jobs has to be 0 to 1000000.") }
        guard 0...10_000 ~= faultsPerRound else { throw ValidationError("--faults-per-round has to be 0 to 10000.") }
    }

    @MainActor func run() async throws {
        let extent = ChaosExtent(events: events, faults: faultsPerRound, kinds: faults.flatMap(\.self))
        let isKept = try await TemporaryFolder.with { folder in
            let first = seed ?? UInt64.random(in: 0...UInt64.max)
            var chaos = Chaos(seed: first, extent, calls: calls, jobs: jobs, folder: folder, report: Console.put)
            return await chaos.run(rounds: rounds ?? Int.max, within: .seconds(minutes * 60))
        }
        guard isKept else { throw ExitCode.failure }
    }

    private static var kinds: String { FaultPlan.Scope.Kind.allCases.map(\.rawValue).joined(separator: ", ") }

    private static func kinds(named names: String) throws -> [FaultPlan.Scope.Kind] {
        try names.split(separator: ",").map { name in
            guard let kind = FaultPlan.Scope.Kind(rawValue: String(name)) else {
                throw ValidationError("There is no kind of fault \"\(name)\". The kinds are: \(kinds).")
            }
            return kind
        }
    }
}
