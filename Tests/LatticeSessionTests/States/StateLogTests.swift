import LatticeConcurrency
import LatticeCore
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeSession

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct StateLogTests {
    /// A log of the states 1 to `revision`, each with one entry more than the one before it changed.
    private func log(
        of revision: Int,
        entries: Int = 40,
        _ limits: ChannelLimits = ChannelLimits()
    ) -> (StateLog, [ChangingMap]) {
        var state = ChangingMap(count: entries)
        var (log, states) = (StateLog(limits: limits), [state])
        var bytes = state.encoded
        _ = log.replace(by: &bytes)
        for number in 1..<max(revision, 1) {
            let change = state.set(number % 40, to: UInt8(number % 23) + 1)
            log.change(by: change, encodedBy: { [state] in state.encoded })
            states.append(state)
        }
        return (log, states)
    }

    @Test(
        "A client with a recent state gets the changes, and any other client the whole state",
        arguments: [
            (nil, "state 9"), (0, "state 9"), (1, "1 to 9"), (5, "5 to 9"), (8, "8 to 9"), (9, "state 9"),
            (10, "state 9"),
        ] as [(UInt64?, String)]
    )
    func whatIsSentDependsOnWhatIsKnown(base: UInt64?, expected: String) throws {
        var (log, states) = log(of: 9)
        let offer = try log.offer(since: base)
        #expect(offer.spoken == expected)
        let made =
            switch offer.content {
            case .snapshot(let state): state
            case .patch(let base, let changes): try states[Int(base) - 1].encoded.applying([changes])
            }
        #expect(made == states[8].encoded)
        #expect(log.knows(base ?? 0) == (1...9).contains(base ?? 0))
    }

    @Test(
        "At most the allowed changes are kept, and for older states the whole state is sent",
        arguments: [
            (changes: 3, bytes: 1000, oldest: 6 as UInt64), (1000, 45, 5), (0, 1000, 9),
        ]
    )
    func whatIsKeptIsBounded(changes: Int, bytes: Int, oldest: UInt64) throws {
        var limits = ChannelLimits()
        limits.maximumChanges = changes
        limits.maximumChangeBytes = bytes
        // A change has ten bytes, and half of the state 25.
        var (log, _) = log(of: 9, entries: 10, limits)
        #expect((0...10).filter(log.knows) == Array(oldest...9))
        #expect(try log.offer(since: oldest - 1).spoken == "state 9")
    }

    @Test func theSameBytesAreNoNewState() throws {
        var (log, states) = log(of: 1)
        var same = states[0].encoded
        let isNew = log.replace(by: &same)
        #expect(!isNew)
        #expect(log.revision == 1)
        #expect(same == states[0].encoded)
    }

    @Test func aWholeStateHasNoKnownChanges() throws {
        var (log, _) = log(of: 5)
        var other = ChangingMap(count: 3).encoded
        let isNew = log.replace(by: &other)
        #expect(isNew)
        #expect(log.revision == 6)
        #expect((0...7).filter(log.knows) == [6])
        #expect(try log.offer(since: 5).content == .snapshot(ChangingMap(count: 3).encoded))
    }

    @Test func aChangeThatNoClientNeedsIsNotKept() throws {
        var (log, states) = log(of: 5)
        log.change(by: nil, encodedBy: { [states] in states[0].encoded })
        #expect(try log.offer(since: 5).content == .snapshot(states[0].encoded))
    }

    @Test func statesThatNoClientHasAreForgotten() throws {
        var (log, _) = log(of: 9)
        log.forget(before: 7)
        #expect((0...10).filter(log.knows) == [7, 8, 9])
        log.forget(before: 12)
        #expect((0...10).filter(log.knows) == [9])
    }

    @Test("Revisions that a peer has from elsewhere are skipped, and stand for no state here")
    func numbersFromElsewhereArePassedOver() throws {
        var (log, states) = log(of: 5)
        log.skip(to: 4)
        #expect(log.revision == 5)
        log.skip(to: 12)
        #expect((0...14).filter(log.knows) == [13])
        #expect(try log.offer(since: 12) == StateOffer(revision: 13, .snapshot(states[4].encoded)))
    }

    @Test("Merged changes that are not smaller than the state are not sent")
    func theSmallerOneIsSent() throws {
        var state = ChangingMap(count: 2)
        var (log, bytes) = (StateLog(), ChangingMap(count: 2).encoded)
        _ = log.replace(by: &bytes)
        for number in 0..<2 {
            let change = state.set(number, to: 7)
            log.change(by: change, encodedBy: { [state] in state.encoded })
        }
        // The state has eleven bytes, both changes have seventeen, and one has ten.
        #expect(try log.offer(since: 1).content == .snapshot(state.encoded))
        #expect(
            try log.offer(since: 2).content
                == .patch(base: 2, changes: [0x82, 1, 0xa1, 0x63, 0x6b, 0x30, 0x31, 0x82, 0, 7])
        )
    }

    @Test("For a large state, changes up to half of its size are kept")
    func aLargeStateKeepsMoreChanges() throws {
        var limits = ChannelLimits()
        limits.maximumChangeBytes = 0
        var (state, log) = (ChangingMap(count: 24), StateLog(limits: limits))
        var bytes = state.encoded
        // A change has ten bytes.
        try #require((60..<70).contains(bytes.count / 2))
        _ = log.replace(by: &bytes)
        for number in 0..<9 {
            let change = state.set(number, to: 7)
            log.change(by: change, encodedBy: { [state] in state.encoded })
        }
        #expect((0...11).filter(log.knows) == [4, 5, 6, 7, 8, 9, 10])
    }

    @Test("The size of a state is known as soon as it is encoded, also if a newer state exists by then")
    func theSizeOfAnEarlierStateIsKnown() throws {
        var (state, log) = (ChangingMap(count: 0), StateLog())
        var bytes = state.encoded
        _ = log.replace(by: &bytes)
        let grown = ChangingMap(count: 24)
        log.change(by: [0x82, 0, 0], encodedBy: { grown.encoded })
        guard case .job(let job) = log.answer(since: nil) else {
            Issue.record("The whole state is there before it was encoded.")
            return
        }
        state = grown
        let change = state.set(3, to: 7)
        log.change(by: change, encodedBy: { [state] in state.encoded })
        // As far as is known now the state has one byte.
        guard case .job = log.answer(since: 2) else {
            Issue.record("The change was sent although it is larger than the state.")
            return
        }
        try job.run()
        #expect(try log.offer(since: 2).content == .patch(base: 2, changes: change))
    }

    @Test func changesWithAGapAreNotSent() throws {
        var (log, states) = log(of: 3)
        // The change is one of an array, and the state is a map.
        for _ in 0..<2 { log.change(by: [0x82, 2, 0x81, 0x83, 0, 0, 1], encodedBy: { [states] in states[0].encoded }) }
        #expect(try log.offer(since: 3).spoken == "3 to 5")
        #expect(try log.offer(since: 2).content == .snapshot(states[0].encoded))
    }

    @Test("A state is encoded once, and only on demand")
    func encodingHappensOnce() throws {
        let count = Locked(0)
        var (log, states) = log(of: 1)
        log.change(
            by: [],
            encodedBy: { [states] in
                count.withLock { $0 += 1 }
                return states[0].encoded
            }
        )
        _ = try log.offer(since: 1)
        #expect(count.withLock(\.self) == 0)
        var other = log
        for _ in 0..<3 { _ = try log.offer(since: nil) }
        #expect(count.withLock(\.self) == 1)
        guard case .ready = log.answer(since: nil) else { Issue.record("it is encoded"); return }
        // A copy made before has to ask for itself.
        _ = try other.offer(since: nil)
        #expect(count.withLock(\.self) == 2)
    }

    @Test func changesAreMergedOnceForAllEqualRequests() throws {
        var (log, _) = log(of: 9)
        guard case .job(let job) = log.answer(since: 3), case .job(let same) = log.answer(since: 3),
            case .job(let other) = log.answer(since: 4)
        else { Issue.record("nothing was folded yet"); return }
        #expect(job === same)
        #expect(job !== other)
        try job.run()
        guard case .ready = log.answer(since: 3) else { Issue.record("it is folded"); return }
    }

    @Test("A job runs once, however many wait for it", arguments: [false, true])
    func aJobInTheBackgroundIsDoneOnce(fails: Bool) async throws {
        struct Failure: Error {}
        let (runs, calls) = (Watched(0), Watched(0))
        let job = StateJob {
            runs.change { $0 += 1 }
            if fails { throw Failure() }
            return StateOffer(revision: 1, .snapshot([1]))
        }
        for round in 1...3 {
            for _ in 0..<50 {
                CodingThreads.run {
                    _ = try? job.run()
                    calls.change { $0 += 1 }
                }
            }
            try await calls.until { $0 == 50 * round }
        }
        #expect(runs.value == 1)
        #expect(job.offer?.content == (fails ? nil : .snapshot([1])))
    }

    @Test("Waiting for a job costs the same, however many channels wait already")
    func manyWaitForAJob() async throws {
        try await withReactor { reactor in
            let source = StateSource(on: reactor)
            let channel = ChannelServer(number: 1, state: .forwarding(), sender: 1, eventLoop: reactor)
            let runs = Watched(0)
            // Held until all wait.
            let gate = Locked(())
            let job = StateJob {
                runs.change { $0 += 1 }
                return gate.withLock { _ in StateOffer(revision: 1, .snapshot([1])) }
            }
            let isDone = Watched(false)
            reactor.execute {
                gate.withLock { _ in
                    func cost(of count: Int) -> Duration {
                        let before = processorTimeOfThisThread()
                        for _ in 0..<count { source.run(job, for: channel) }
                        return processorTimeOfThisThread() - before
                    }
                    let first = cost(of: 5_000)
                    _ = cost(of: 90_000)
                    let last = cost(of: 5_000)
                    // A search among those that wait would make it about 40 times as much.
                    #expect(last < first * 8, "\(first) for the first, \(last) for the last")
                }
                CodingThreads.run {
                    _ = try? job.run()
                    isDone.change { $0 = true }
                }
            }
            try await isDone.until { $0 }
            #expect(runs.value == 1)
        }
    }

    @Test func anEncodingThatFailsSaysSo() throws {
        struct Failure: Error {}
        var (log, _) = log(of: 1)
        log.change(by: nil, encodedBy: { throw Failure() })
        for _ in 0..<2 { #expect(throws: Failure.self) { try log.offer(since: nil) } }
    }

    @Test(
        "The changes that are sent turn any earlier state into the current one",
        arguments: 1...20 as ClosedRange<UInt64>
    )
    func whatIsSentMakesTheState(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var (state, log) = (ChangingMap(), StateLog())
        var bytes = state.encoded
        _ = log.replace(by: &bytes)
        var states = [state.encoded]
        for _ in 0..<40 {
            let change = state.change(using: &generator)
            log.change(by: change, encodedBy: { [state] in state.encoded })
            states.append(state.encoded)
            let base = Int.random(in: 1...states.count, using: &generator)
            switch try log.offer(since: UInt64(base)).content {
            case .snapshot(let sent): #expect(sent == state.encoded)
            case .patch(_, let changes): #expect(try states[base - 1].applying([changes]) == state.encoded)
            }
        }
    }
}

extension StateLog {
    /// Returns the offer for a client, and does the work that it needs.
    fileprivate mutating func offer(since base: UInt64?) throws -> StateOffer {
        switch answer(since: base) {
        case .ready(let offer): offer
        case .job(let job): try job.run()
        }
    }
}

extension StateOffer {
    fileprivate var spoken: String {
        base.map { "\($0) to \(revision)" } ?? "state \(revision)"
    }
}

private func processorTimeOfThisThread() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
