import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct SharingOrderTests {
    private func with(_ body: (Reactor, SharingOrder) async throws -> Void) async throws {
        try await withReactor { reactor in try await body(reactor, SharingOrder(on: reactor)) }
    }

    private func whenFree(_ order: SharingOrder, on eventLoop: any EventLoop) async throws {
        try await poll { await eventLoop.run { order.isFree } }
    }

    @Test("An operation after a view state runs once that is shown, and the newest view state is shown at the end")
    func order() async throws {
        try await with { reactor, order in
            for _ in 0..<20 {
                let shown = Locked(0)
                let seen = Locked<[Int]>([])
                await reactor.run {
                    for number in 1...10 {
                        order.performInParts(shows: true) {
                            .compute {
                                shown.withLock { $0 = number }
                                return { .done }
                            }
                        }
                        order.perform {
                            let number = shown.withLock(\.self)
                            seen.withLock { $0.append(number) }
                        }
                    }
                }
                try await whenFree(order, on: reactor)
                let numbers = seen.withLock(\.self)
                #expect(numbers.count == 10)
                for (index, number) in numbers.enumerated() { #expect(number >= index + 1) }
                #expect(numbers.last == 10)
            }
        }
    }

    @Test("Operations begin and end on the event loop, and compute on a coding thread in between")
    func places() async throws {
        try await with { reactor, order in
            let places = Watched<[Bool]>([])
            @Sendable func note() { places.change { $0.append(reactor.isCurrent) } }
            await reactor.run {
                order.performInParts {
                    note()
                    return .compute {
                        note()
                        return {
                            note()
                            return .compute {
                                note()
                                return {
                                    note()
                                    return .done
                                }
                            }
                        }
                    }
                }
                order.perform { note() }
            }
            try await whenFree(order, on: reactor)
            #expect(places.value == [true, false, true, false, true, true])
        }
    }

    @Test("An operation runs at once if none is running, and otherwise after the one that its caller has begun")
    func callers() async throws {
        try await with { reactor, order in
            let isDone = Watched<[Bool]>([])
            await reactor.run {
                order.perform { isDone.change { $0.append(true) } }
                isDone.change { $0.append(order.begin()) }
                isDone.change { $0.append(order.begin()) }
                order.perform { isDone.change { $0.append(true) } }
                isDone.change { $0.append(false) }
                order.end()
                isDone.change { $0.append(order.isFree) }
            }
            #expect(isDone.value == [true, true, false, false, true, true])
        }
    }

    @Test("A feature whose long operations keep coming leaves the coding threads to other work in between")
    func fairness() async throws {
        try await withReactor { reactor in
            let orders = [SharingOrder(on: reactor), SharingOrder(on: reactor), SharingOrder(on: reactor)]
            let isOtherDone = Watched(false)
            // Each long operation adds the next one before it ends, as a slow reducer does whose states keep coming.
            @Sendable func goOn(_ order: SharingOrder) {
                guard !isOtherDone.value else { return }
                order.performInParts(shows: true) {
                    .compute {
                        {
                            goOn(order)
                            return .done
                        }
                    }
                }
            }
            await reactor.run { for order in orders { goOn(order) } }
            CodingThreads.run { isOtherDone.change { $0 = true } }
            try await isOtherDone.until { $0 }
            for order in orders { try await whenFree(order, on: reactor) }
        }
    }
}
