import Distributed
import Glibc
import LatticeActors
import LatticeConcurrency
package import LatticeSession

/// What is called in a round. It writes down which calls have begun, before it does anything else.
///
/// Some of its methods are called by stable names, and others by those of the compiler, so that calls of all kinds are
/// under way beside each other.
distributed actor ChaosCallee: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    /// Of one whose calls run on threads of their own, and of one on the thread that reads them: each worker has both.
    enum Name: String, CaseIterable, Sendable {
        case pool = "chaos callee"
        case reader = "chaos callee on the reader"

        var threads: ActorThreads { self == .pool ? .pool : .reader }
    }

    /// How a worker of callees is, at a moment in which nothing is to run there but the question for it.
    struct Report: Codable, Sendable {
        let process: Int32
        /// Calls that it has made, and that have not ended.
        let sent: Int
        /// Calls that came and have not ended, with the question itself.
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

    distributed func failUntold(_ question: ChaosQuestion) throws -> ChaosAnswer {
        log.note(question.call)
        throw UntoldChaosFailure()
    }

    distributed func callBack(_ question: ChaosQuestion, _ caller: ChaosCaller) async throws -> ChaosAnswer {
        log.note(question.call)
        let answer = question.answer
        do {
            guard try await caller.confirm(question.call, answer.digest) == question.call else {
                throw ChaosCallFailure.unconfirmed("another call's answer")
            }
        } catch let error as ActorCallError {
            throw ChaosCallFailure.unconfirmed(error.code.rawValue)
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

    // By hand: this is linked with workers that are built without macros.
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
    /// What a worker of a round's calls is started with, and the folder of its logs behind it.
    nonisolated static let workerArgument = "chaos-calls"

    /// Makes what this worker is called for, if it is one of a round's calls.
    ///
    /// - Parameter arguments: Those of the program, without its name.
    /// - Throws: If the calls cannot be written down: then none may run.
    package nonisolated static func host(at node: ActorNode, _ arguments: some Collection<String>) throws {
        guard arguments.first == workerArgument, let folder = arguments.dropFirst().first else { return }
        let system = LatticeActorSystem(node)
        system.register(errors: ChaosCallFailure.self)
        for name in ChaosCallee.Name.allCases {
            let log = try CallLog(in: folder)
            try system.host(name.rawValue, on: name.threads) { ChaosCallee(actorSystem: $0, log: log, node: node) }
        }
    }
}
