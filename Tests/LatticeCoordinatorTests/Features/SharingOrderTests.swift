import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(3)))
struct SharingOrderTests {
    private func whenFree(_ order: SharingOrder) async throws {
        await withCheckedContinuation { waiter in order.perform { waiter.resume() } }
        try await poll { order.isFree }
    }

    @Test("An operation after a view state runs once that is shown, and the newest view state is shown at the end")
    func order() async throws {
        try await withReactor { reactor in
            let order = SharingOrder(on: reactor)
            for _ in 0..<20 {
                let shown = Locked(0)
                let seen = Locked<[Int]>([])
                for number in 1...10 {
                    order.show(isLong: true) { shown.withLock { $0 = number } }
                    order.perform {
                        let number = shown.withLock(\.self)
                        seen.withLock { $0.append(number) }
                    }
                }
                try await whenFree(order)
                let numbers = seen.withLock(\.self)
                #expect(numbers.count == 10)
                for (index, number) in numbers.enumerated() { #expect(number >= index + 1) }
                #expect(numbers.last == 10)
            }
        }
    }

    @Test("What waits for the operation of another thread runs on the event loop, and a long one on a coding thread")
    func places() async throws {
        try await withReactor { reactor in
            let order = SharingOrder(on: reactor)
            for isLong in [false, true] {
                let isOnEventLoop = Watched<Bool?>(nil)
                #expect(order.begin())
                #expect(!order.begin())
                order.perform(isLong: isLong) { isOnEventLoop.change { $0 = reactor.isCurrent } }
                #expect(isOnEventLoop.value == nil)
                order.end()
                try await isOnEventLoop.until { $0 == !isLong }
                try await whenFree(order)
            }
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
                order.show(isLong: true) { goOn(order) }
            }
            for order in orders { order.show(isLong: true) { goOn(order) } }
            CodingThreads.run { isOtherDone.change { $0 = true } }
            try await isOtherDone.until { $0 }
            for order in orders { try await whenFree(order) }
        }
    }

    @Test("A short operation runs on its caller if none is running, and a long one does not")
    func callers() async throws {
        try await withReactor { reactor in
            let order = SharingOrder(on: reactor)
            let isDone = Locked(false)
            order.perform { isDone.withLock { $0 = true } }
            let wasDone = isDone.withLock { $0 }
            #expect(wasDone)
            let task = withUnsafeCurrentTask { $0?.hashValue }
            let place = Watched<Int??>(nil)
            order.perform(isLong: true) { place.change { $0 = .some(withUnsafeCurrentTask { $0?.hashValue }) } }
            try await place.until { $0 != nil }
            #expect(place.value != .some(task))
            try await whenFree(order)
        }
    }
}
