import Distributed
import LatticeActors
import LatticeCalls
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    private static func with(
        _ roles: [Role] = [.worker],
        over link: SessionLink = .memory,
        isSupervised: Bool = false,
        cancelTimeout: Duration = .seconds(120),
        _ body: (ActorNet, Fountain) async throws -> Void
    ) async throws {
        try await ActorNet.with(roles, over: link, isSupervised: isSupervised, cancelTimeout: cancelTimeout) { net in
            try net.systems[roles.count].host("fountain") { Fountain(actorSystem: $0) }
            let caller = roles.count == 1 ? net.hub : net.systems[1]
            for system in net.systems { system.register(errors: Desk.SoldOut.self) }
            try await body(net, try await caller.resolve(Fountain.self, named: "fountain", within: .seconds(100)))
        }
    }

    private static func all<Element>(_ stream: ActorStream<Element>) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in stream { elements.append(element) }
        return elements
    }

    @Test(arguments: [SessionLink.memory, .socketPair], [[Role.worker], [.client, .worker]])
    func elementsArriveInOrderAndOnce(_ link: SessionLink, _ roles: [Role]) async throws {
        try await Self.with(roles, over: link) { _, fountain in
            let numbers = try await Self.all(fountain.numbers(to: 100_000))
            #expect(numbers == Array(0..<100_000))
            let none = try await Self.all(fountain.numbers(to: 0))
            #expect(none.isEmpty)
        }
    }

    @Test func severalStreamsAndCallsInterleave() async throws {
        try await Self.with([.client, .worker]) { _, fountain in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for end in 1...20 {
                    group.addTask {
                        let numbers = try await Self.all(fountain.numbers(to: end * 500))
                        #expect(numbers == Array(0..<end * 500))
                    }
                    group.addTask {
                        let sum = try await fountain.add(end, 1)
                        #expect(sum == end + 1)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func anElementLargerThanTheWindowGoesAlone() async throws {
        try await Self.with([.client, .worker], over: .socketPair) { _, fountain in
            var count = 0
            for try await block in try await fountain.blocks(of: 3_000_000, counted: Gates.makeName(), upTo: 5) {
                count += 1
                #expect(block.count == 3_000_000 && block.last == UInt8(count))
            }
            #expect(count == 5)
        }
    }

    @Test func theSequenceIsReadOnlyOnDemand() async throws {
        try await Self.with([.client, .worker]) { _, fountain in
            let name = Gates.makeName()
            let stream = try await fountain.blocks(of: 1_000, counted: name, upTo: .max)
            try await Fountain.asked.until { $0[name] ?? 0 >= 60 }
            // Whatever it was to do meanwhile it would have done.
            for number in 0..<200 { _ = try await fountain.add(number, 1) }
            #expect(Fountain.asked.value[name] ?? 0 < 70)
            var iterator = stream.makeAsyncIterator()
            for _ in 0..<500 { _ = try await iterator.next() }
            let asked = Fountain.asked.value[name] ?? 0
            #expect(asked >= 500 && asked < 640)
        }
    }

    @Test func anErrorOfTheSequenceEndsTheStreamAfterItsElements() async throws {
        try await Self.with([.client, .worker]) { _, fountain in
            var count = 0
            await #expect(throws: Desk.SoldOut(left: 3)) {
                for try await number in try await fountain.failing(behind: 3) {
                    #expect(number == count)
                    count += 1
                }
            }
            #expect(count == 3)
            // An error that the method throws before it returns a stream is thrown by the call.
            await #expect(throws: Desk.SoldOut(left: 0)) { _ = try await fountain.none() }
        }
    }

    @Test func afterTheEndThereIsNothing() async throws {
        try await Self.with { _, fountain in
            var iterator = try await fountain.failing(behind: 0).makeAsyncIterator()
            await #expect(throws: Desk.SoldOut(left: 0)) { try await iterator.next() }
            let next = try await iterator.next()
            #expect(next == nil)
        }
    }

    @Test(arguments: [[Role.worker], [.client, .worker]])
    func releasingAStreamCancelsIt(_ roles: [Role]) async throws {
        try await Self.with(roles) { net, fountain in
            let gate = Gates.makeName()
            for try await element in try await fountain.waiting(at: gate) {
                #expect(element == "1")
                try await Gates.untilArrived(gate)
                break
            }
            try await Gates.untilCancelled(gate)
            // This stream was never read.
            let other = Gates.makeName()
            var stream: ActorStream<String>? = try await fountain.waiting(at: other)
            try await Gates.untilArrived(other)
            #expect(stream != nil)
            stream = nil
            try await Gates.untilCancelled(other)
            // This stream was never received, so its sequence may not have been started.
            _ = try await fountain.waiting(at: Gates.makeName())
            for leaf in net.net.leaves { try await poll { leaf.node.isIdle } }
        }
    }

    @Test func cancellingTheReaderCancelsTheStream() async throws {
        try await Self.with([.client, .worker]) { _, fountain in
            let gate = Gates.makeName()
            let reader = Task {
                for try await _ in try await fountain.waiting(at: gate) {}
            }
            try await Gates.untilArrived(gate)
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            try await Gates.untilCancelled(gate)
        }
    }

    @Test func waitsForCreditAreCancelledToo() async throws {
        try await Self.with { net, fountain in
            let name = Gates.makeName()
            var stream: ActorStream<[UInt8]>? = try await fountain.blocks(of: 1_000, counted: name, upTo: .max)
            try await Fountain.asked.until { $0[name] ?? 0 >= 60 }
            #expect(stream != nil)
            stream = nil
            let node = net.net.leaves[0].node
            try await poll { node.isIdle }
        }
    }

    @Test func aDeadlineIsOneOfTheWholeStream() async throws {
        try await Self.with([.client, .worker]) { _, fountain in
            let gate = Gates.makeName()
            let error = await #expect(throws: ActorCallError.self) {
                let stream = try await withDeadline(.now + .milliseconds(200)) { try await fountain.waiting(at: gate) }
                for try await _ in stream {}
            }
            #expect(error?.code == .deadlinePassed && error?.delivery == .mayHaveBegun)
        }
    }

    @Test func theEndOfTheProcessEndsTheStream() async throws {
        try await Self.with([.client, .worker]) { net, fountain in
            let gate = Gates.makeName()
            var iterator = try await fountain.waiting(at: gate).makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first == "1")
            try await Gates.untilArrived(gate)
            net.net.leaves[1].session.abort(.violation("it is over"))
            let error = await #expect(throws: ActorCallError.self) { try await iterator.next() }
            #expect(error?.code == .lost && error?.delivery == .mayHaveBegun)
            // The other side and the caller have both ended.
            try await Gates.untilCancelled(gate)
        }
    }

    @Test func theEndOfTheReaderEndsTheStream() async throws {
        try await Self.with([.client, .worker]) { net, fountain in
            let name = Gates.makeName()
            let stream = try await fountain.blocks(of: 1_000, counted: name, upTo: .max)
            try await Fountain.asked.until { $0[name] ?? 0 >= 60 }
            net.net.leaves[0].session.abort(.violation("it is over"))
            let node = net.net.leaves[1].node
            try await poll { node.isIdle }
            let error = await #expect(throws: ActorCallError.self) { _ = try await Self.all(stream) }
            #expect(error?.code == .lost)
        }
    }

    @Test func aStreamFromElsewhereIsReadOnce() async throws {
        try await Self.with { _, fountain in
            let stream = try await fountain.numbers(to: 3)
            let numbers = try await Self.all(stream)
            #expect(numbers == [0, 1, 2])
            let error = await #expect(throws: ActorCallError.self) { _ = try await Self.all(stream) }
            #expect(error?.code == .refused)
            #expect(error?.message.hasSuffix("a stream from another process is read once") == true)
        }
    }

    @Test func invalidStreamsAreNotSent() async throws {
        try await Self.with { _, fountain in
            let several = await #expect(throws: ActorCallError.self) { _ = try await fountain.several() }
            #expect(several?.code == .unencodable)
            #expect(several?.message.hasSuffix("be created in the process of that method's actor") == true)
            let odd = await #expect(throws: ActorCallError.self) { _ = try await Self.all(fountain.odd()) }
            #expect(odd?.code == .unencodable && odd?.delivery == .mayHaveBegun)
            #expect(odd?.message.contains("an element of the stream: Failure()") == true)
        }
    }

    @Test func copiesOfAnIteratorDoNotWaitTogether() async throws {
        try await Self.with { _, fountain in
            let gate = Gates.makeName()
            var iterator = try await fountain.waiting(at: gate).makeAsyncIterator()
            _ = try await iterator.next()
            try await Gates.untilArrived(gate)
            let errors = Watched(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { [iterator = Unchecked(iterator)] in
                        var iterator = iterator.value
                        do {
                            _ = try await iterator.next()
                        } catch {
                            #expect((error as? ActorCallError)?.code == .refused)
                            errors.change { $0 += 1 }
                            Gates.open(gate)
                        }
                    }
                }
            }
            #expect(errors.value == 1)
        }
    }

    private struct Unchecked<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    @Test func aTooLargeElementEndsTheStream() async throws {
        try await Self.with { _, fountain in
            let error = await #expect(throws: ActorCallError.self) {
                let stream = try await fountain.blocks(of: 5_000_000, counted: Gates.makeName(), upTo: 1)
                _ = try await Self.all(stream)
            }
            #expect(error?.code == .tooLarge && error?.message.hasSuffix("divide it into several") == true)
        }
    }

    @Test func throughAProtocolToo() async throws {
        try await ActorNet.with { net in
            let local = try net.systems[1].host("spring") { MountainSpring(actorSystem: $0) }
            let plain = try await Self.all(local.drops(3))
            #expect(plain == [0, 1, 2])
            for system in net.systems {
                let spring = try await system.resolve($Spring.self, named: "spring", within: .seconds(100))
                let drops = try await Self.all(spring.drops(30_000))
                #expect(drops == Array(0..<30_000))
            }
        }
    }
}
