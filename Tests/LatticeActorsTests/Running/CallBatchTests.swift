import Dispatch
import Distributed
import LatticeActors
import LatticeCalls
import LatticeConcurrency
import LatticeTestSupport
import LatticeWire
import Testing

/// Calls of methods that await nothing, which share tasks.
@Suite(.timeLimit(.minutes(10))) struct CallBatchTests {
    /// Writes down what begins.
    distributed actor Scribe: StableNamed {
        typealias ActorSystem = LatticeActorSystem

        private var lines: [Int] = []

        distributed func write(_ line: Int) { lines.append(line) }
        distributed func written() -> [Int] { lines }
        distributed func fail(_ line: Int) throws { throw Desk.SoldOut(left: line) }
        distributed func numbers(to end: Int) -> ActorStream<Int> { ActorStream(0..<end) }

        /// Returns numbers. The stream ends early if the actor is released.
        distributed func numbersWhileItLives(to end: Int) -> ActorStream<Int> {
            let next = Locked(0)
            return ActorStream(
                AsyncStream<Int>(unfolding: { [weak self] in
                    await Task.yield()
                    let number = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    return self == nil || number == end ? nil : number
                })
            )
        }

        distributed func writeAndAwait(_ line: Int) async {
            lines.append(line)
            await Task.yield()
        }

        /// A method that is in no table.
        distributed func writeByTheCompilersName(_ line: Int) { lines.append(line) }

        /// Holds its thread until the bolt is drawn, or it is cancelled.
        ///
        /// - Returns: Whether it is cancelled.
        distributed func hold(_ bolt: Bolt) -> Bool {
            bolt.hold()
            return Task.isCancelled
        }

        /// - Returns: Whether it is cancelled.
        distributed func writeAndLook(_ line: Int) -> Bool {
            lines.append(line)
            return Task.isCancelled
        }

        static var stableMethods: [StableMethod] {
            [
                StableMethod("write(_:)") { (actor: isolated Self, line: Int) in actor.write(line) },
                StableMethod("written()") { (actor: isolated Self) in actor.written() },
                StableMethod("fail(_:)") { (actor: isolated Self, line: Int) in try actor.fail(line) },
                StableMethod("numbers(to:)") { (actor: isolated Self, end: Int) in actor.numbers(to: end) },
                StableMethod("writeAndAwait(_:)") { (actor: isolated Self, line: Int) in
                    await actor.writeAndAwait(line)
                },
                StableMethod("hold(_:)") { (actor: isolated Self, bolt: Bolt) in actor.hold(bolt) },
                StableMethod("numbersWhileItLives(to:)") { (actor: isolated Self, end: Int) in
                    actor.numbersWhileItLives(to: end)
                },
                StableMethod("writeAndLook(_:)") { (actor: isolated Self, line: Int) in actor.writeAndLook(line) },
            ]
        }
    }

    /// Holds a method that awaits nothing; known by its number, in this process.
    struct Bolt: Codable, Sendable {
        private static let all = Locked<[(arrived: OneShot<Void>, drawn: DispatchSemaphore)]>([])

        let number: Int

        static func make() -> Bolt {
            all.withLock { all in
                all.append((OneShot(), DispatchSemaphore(value: 0)))
                return Bolt(number: all.count - 1)
            }
        }

        private var parts: (arrived: OneShot<Void>, drawn: DispatchSemaphore) { Self.all.withLock { $0[number] } }

        func hold() {
            let (arrived, drawn) = parts
            arrived.complete()
            let end = ContinuousClock.now + .seconds(60)
            while !Task.isCancelled, ContinuousClock.now < end {
                if drawn.wait(timeout: .now() + .milliseconds(1)) == .success { return }
            }
        }

        func draw() { parts.drawn.signal() }
        func untilArrived() async throws { _ = try await parts.arrived.value(within: .seconds(60)) }
    }

    private static func with(
        _ body: (_ remote: Scribe, _ caller: LatticeActorSystem, _ callee: LatticeActorSystem) async throws -> Void
    ) async throws {
        try await ActorNet.with { net in
            for name in ["scribe", "other"] { try net.systems[1].host(name) { Scribe(actorSystem: $0) } }
            for system in net.systems { system.register(errors: Desk.SoldOut.self) }
            let remote = try await net.hub.resolve(Scribe.self, named: "scribe", within: .seconds(100))
            try await body(remote, net.hub, net.systems[1])
        }
    }

    /// Waits until all earlier calls have arrived. Another actor of the same process answers a later call first.
    private static func untilArrived(at remote: Scribe) async throws {
        let other = try await remote.actorSystem.resolve(Scribe.self, named: "other", within: .seconds(100))
        _ = try await other.written()
    }

    /// Makes calls one after the other, whose answers come whenever they do.
    private static func begin<Value: Sendable>(
        _ calls: Int,
        _ call: @escaping @Sendable (Int) async throws -> Value
    ) -> [Task<Value, any Error>] {
        (0..<calls).map { number in Task.immediate { try await call(number) } }
    }

    @Test("Calls begin in order, whether their methods suspend or are called by the compiler's names")
    func methodsOfAllKindsKeepTheirOrder() async throws {
        try await Self.with { remote, _, _ in
            let calls = Self.begin(600) { number in
                switch number % 7 {
                case 0: try await remote.writeAndAwait(number)
                case 1: try await remote.writeByTheCompilersName(number)
                default: try await remote.write(number)
                }
            }
            for call in calls { try await call.value }
            let written = try await remote.written()
            #expect(written == Array(0..<600))
        }
    }

    @Test func eachCallHasItsOwnAnswer() async throws {
        try await Self.with { remote, _, _ in
            let calls = Self.begin(300) { number in try await remote.fail(number) }
            for (number, call) in calls.enumerated() {
                await #expect(throws: Desk.SoldOut(left: number)) { try await call.value }
            }
            var numbers: [Int] = []
            for try await number in try await remote.numbers(to: 500) { numbers.append(number) }
            #expect(numbers == Array(0..<500))
        }
    }

    @Test("A call that is cancelled while it waits never begins, and is counted until then")
    func aCallThatWaitsIsCancelled() async throws {
        try await Self.with { remote, _, callee in
            let bolt = Bolt.make()
            async let held = remote.hold(bolt)
            try await bolt.untilArrived()
            let calls = Self.begin(3) { number in try await remote.write(number) }
            calls[1].cancel()
            try await Self.untilArrived(at: remote)
            // The cancelled call still takes room, so that a caller that makes and cancels calls also reaches the
            // limits.
            #expect(callee.node.callsUnderWay.taken == 4)
            bolt.draw()
            await #expect(throws: CancellationError.self) { try await calls[1].value }
            let isCancelled = try await held
            #expect(!isCancelled)
            for number in [0, 2] { try await calls[number].value }
            let written = try await remote.written()
            #expect(written == [0, 2])
        }
    }

    @Test("A call whose deadline passes while it waits never begins")
    func aCallThatWaitsExpires() async throws {
        try await Self.with { remote, _, _ in
            let bolt = Bolt.make()
            async let held = remote.hold(bolt)
            try await bolt.untilArrived()
            let error = await #expect(throws: ActorCallError.self) {
                try await withDeadline(.now + .milliseconds(20)) { try await remote.write(7) }
            }
            #expect(error?.code == .deadlinePassed)
            // By now it is known there too: the caller has said so.
            try await Self.untilArrived(at: remote)
            bolt.draw()
            let isCancelled = try await held
            #expect(!isCancelled)
            let written = try await remote.written()
            #expect(written.isEmpty)
        }
    }

    @Test("Cancelling a running call cancels only that call, and the calls behind it keep their order")
    func onlyTheCallThatRunsIsCancelled() async throws {
        try await Self.with { remote, _, _ in
            let bolt = Bolt.make()
            let held = Task { try await remote.hold(bolt) }
            try await bolt.untilArrived()
            let others = Self.begin(20) { number in try await remote.writeAndLook(number) }
            let awaiting = Self.begin(1) { _ in try await remote.writeAndAwait(20) }
            try await Self.untilArrived(at: remote)
            held.cancel()
            let isCancelled = try await held.value
            #expect(isCancelled)
            for other in others {
                let isOtherCancelled = try await other.value
                #expect(!isOtherCancelled)
            }
            for call in awaiting { try await call.value }
            let written = try await remote.written()
            #expect(written == Array(0...20))
        }
    }

    @Test func aCallKnowsItsDeadlineAndTheNextOneHasNone() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("clerk") { Served.Clerk(actorSystem: $0) }
            let remote = try await net.hub.resolve(Calling.Clerk.self, named: "clerk", within: .seconds(100))
            let calls = Self.begin(40) { number in
                number.isMultiple(of: 2)
                    ? try await withDeadline(.now + .seconds(60)) { try await remote.deadline() }
                    : try await remote.deadline()
            }
            for (number, call) in calls.enumerated() {
                let hasDeadline = try await call.value
                #expect(hasDeadline == number.isMultiple(of: 2))
            }
        }
    }

    @Test("Calls that wait for a withdrawn actor still run, because they keep the actor alive")
    func whatWaitsKeepsTheActor() async throws {
        try await Self.with { remote, _, callee in
            let bolt = Bolt.make()
            async let held = remote.hold(bolt)
            try await bolt.untilArrived()
            let calls = Self.begin(10) { number in try await remote.write(number) }
            try await Self.untilArrived(at: remote)
            callee.withdraw("scribe")
            bolt.draw()
            let isCancelled = try await held
            #expect(!isCancelled)
            for call in calls { try await call.value }
        }
    }

    @Test("Calls of an actor with its own executor keep their order, also behind a cancelled one")
    func actorsWithExecutorsOfTheirOwn() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("custom") { QueueScribe(actorSystem: $0) }
            try net.systems[1].host("other") { Scribe(actorSystem: $0) }
            let remote = try await net.hub.resolve(QueueScribe.self, named: "custom", within: .seconds(100))
            let other = try await net.hub.resolve(Scribe.self, named: "other", within: .seconds(100))
            let bolt = Bolt.make()
            let held = Task { try await remote.hold(bolt) }
            try await bolt.untilArrived()
            let calls = Self.begin(300) { number in
                switch number % 7 {
                case 5: try await remote.writeAndAwait(number)
                case 6: try await remote.writeByTheCompilersName(number)
                default: try await remote.write(number)
                }
            }
            _ = try await other.written()
            held.cancel()
            let isCancelled = try await held.value
            for call in calls { try await call.value }
            let written = try await remote.written()
            #expect(isCancelled && written == Array(0..<300))
        }
    }

    @Test("An actor lives as long as one of its streams runs")
    func aStreamKeepsItsActor() async throws {
        try await Self.with { remote, _, callee in
            var numbers: [Int] = []
            for try await number in try await remote.numbersWhileItLives(to: 50) {
                if number == 5 { callee.withdraw("scribe") }
                numbers.append(number)
            }
            #expect(numbers == Array(0..<50))
        }
    }

    @Test func anActorThatTheProgramKeepsIsCalledAfterTheEndOfItsNode() async throws {
        let node = ActorNode(isHub: true, title: "process")
        let actor = Scribe(actorSystem: LatticeActorSystem(node))
        let call = OutgoingCall(to: actor.id.number, of: node.id, method: "written()")
        for _ in 0..<2 {
            let reply = await node.ask(call)
            #expect(reply.code == .returned)
            node.end()
        }
        withExtendedLifetime(actor) {}
    }
}

/// A queue that jobs run on without knowing of tasks' preferences.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "scribe")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// A scribe that runs on such a queue.
distributed actor QueueScribe: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    private static let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

    private var lines: [Int] = []

    distributed func write(_ line: Int) { lines.append(line) }
    distributed func written() -> [Int] { lines }
    distributed func writeByTheCompilersName(_ line: Int) { lines.append(line) }

    distributed func writeAndAwait(_ line: Int) async {
        lines.append(line)
        await Task.yield()
    }

    distributed func hold(_ bolt: CallBatchTests.Bolt) -> Bool {
        bolt.hold()
        return Task.isCancelled
    }

    static var stableMethods: [StableMethod] {
        [
            StableMethod("write(_:)") { (actor: isolated Self, line: Int) in actor.write(line) },
            StableMethod("written()") { (actor: isolated Self) in actor.written() },
            StableMethod("writeAndAwait(_:)") { (actor: isolated Self, line: Int) in await actor.writeAndAwait(line) },
            StableMethod("hold(_:)") { (actor: isolated Self, bolt: CallBatchTests.Bolt) in actor.hold(bolt) },
        ]
    }
}
