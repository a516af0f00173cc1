import Distributed
import Glibc
import LatticeActors
package import LatticeCalls
import LatticeConcurrency
import LatticeJobs
import LatticeSession

/// The actor that is called in a round. It logs that a call has begun before it does anything else.
///
/// Some of its methods are called by stable names and others by mangled names, so that both kinds of calls are in
/// progress at the same time.
distributed actor ChaosCallee: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    /// The names of a worker's two actors. One runs its calls on pool threads, and the other one on the thread that
    /// reads them.
    enum Name: String, CaseIterable, Sendable {
        case pool = "chaos callee"
        case reader = "chaos callee on the reader"

        var threads: ActorThreads { self == .pool ? .pool : .reader }
    }

    /// The state of a worker at a time when it should only run the request for this report.
    struct Report: Codable, Sendable {
        let process: Int32
        /// The number of calls that it has made and that have not ended.
        let sent: Int
        /// The number of calls that it has received and not answered, including the request for this report.
        let taken: Int
    }

    private static let spin: Duration = .milliseconds(2)

    private let log: CallLog
    private let node: ActorNode

    init(actorSystem: LatticeActorSystem, log: CallLog, node: ActorNode) {
        self.actorSystem = actorSystem
        self.log = log
        self.node = node
    }

    distributed func answer(_ question: ChaosQuestion) -> ChaosAnswer {
        log.note(question.call)
        return question.answer
    }

    distributed func spin(_ question: ChaosQuestion) -> ChaosAnswer {
        log.note(question.call)
        let end = ContinuousClock.now + Self.spin
        while ContinuousClock.now < end {}
        return question.answer
    }

    distributed func wait(_ question: ChaosQuestion) async throws -> ChaosAnswer {
        log.note(question.call)
        try await Task.sleep(for: .seconds(86_400))
        return question.answer
    }

    distributed func fail(_ question: ChaosQuestion) throws -> ChaosAnswer {
        log.note(question.call)
        throw ChaosCallFailure.asked(question.answer)
    }

    distributed func failUnregistered(_ question: ChaosQuestion) throws -> ChaosAnswer {
        log.note(question.call)
        throw UnregisteredChaosFailure()
    }

    distributed func callBack(_ question: ChaosQuestion, _ caller: ChaosCaller) async throws -> ChaosAnswer {
        log.note(question.call)
        let answer = question.answer
        do {
            guard try await caller.confirm(question.call, answer.digest) == question.call else {
                throw ChaosCallFailure.unconfirmed("another call's answer")
            }
        } catch let error as ActorCallError {
            throw ChaosCallFailure.unconfirmed(error.code.description)
        }
        return answer
    }

    distributed func die(_ question: ChaosQuestion) -> ChaosAnswer {
        log.note(question.call)
        kill(getpid(), SIGKILL)
        return question.answer
    }

    distributed func report() -> Report {
        let count = node.callsUnderWay
        return Report(process: ProcessIdentity.own, sent: count.sent, taken: count.taken)
    }

    // The table is written by hand, because this target is linked with workers that are built without macros.
    static var stableMethods: [StableMethod] {
        [
            StableMethod("answer(_:)") { (actor: isolated Self, question: ChaosQuestion) in actor.answer(question) },
            StableMethod("spin(_:)") { (actor: isolated Self, question: ChaosQuestion) in actor.spin(question) },
            StableMethod("wait(_:)") { (actor: isolated Self, question: ChaosQuestion) in
                try await actor.wait(question)
            },
            StableMethod("fail(_:)") { (actor: isolated Self, question: ChaosQuestion) in try actor.fail(question) },
        ]
    }
}

extension Chaos {
    /// The first argument of a worker of a round's calls. The folder for its logs follows.
    nonisolated static let callWorkerArgument = "chaos-calls"

    /// Hosts the actors or the jobs of this worker if it belongs to a round of calls or of jobs.
    ///
    /// - Parameters:
    ///   - node: The node of the worker.
    ///   - arguments: The arguments of the program, without its name.
    /// - Throws: An error if the calls or jobs cannot be logged, because then none may run.
    package nonisolated static func host(at node: ActorNode, _ arguments: some Collection<String>) throws {
        guard let folder = arguments.dropFirst().first else { return }
        switch arguments.first {
        case jobWorkerArgument: try hostJobs(at: LatticeActorSystem(node), folder)
        case callWorkerArgument: try hostCallees(at: LatticeActorSystem(node), node, folder)
        default: break
        }
    }

    private nonisolated static func hostCallees(
        at system: LatticeActorSystem,
        _ node: ActorNode,
        _ folder: String
    ) throws {
        system.register(errors: ChaosCallFailure.self)
        for name in ChaosCallee.Name.allCases {
            let log = try CallLog(in: folder)
            try system.host(name.rawValue, on: name.threads) { ChaosCallee(actorSystem: $0, log: log, node: node) }
        }
    }
}
