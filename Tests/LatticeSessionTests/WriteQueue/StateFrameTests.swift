import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

struct StateFrameTests {
    private static let sizes = [0, 1, 400, 511, 512, 1_024, 65_000, 65_280, 65_281, 65_520, 65_536, 200_000]

    private func state(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    @Test(arguments: sizes)
    func eachGetsTheSameAsAlone(size: Int) {
        let state = state(size)
        var alone = WriteQueue()
        alone.addState(state, revision: 7, applied: 5, on: 2)
        let expected = alone.takeAllBytes()
        var frame = StateFrame(StateOffer(revision: 7, .snapshot(state)))
        for _ in 0..<3 {
            var queue = WriteQueue()
            frame.add(to: &queue, applied: 5, on: 2)
            #expect(queue.takeAllBytes() == expected)
            #expect(queue.isEmpty)
        }
    }

    @Test(arguments: [1_024, 200_000])
    func itIsNotCopied(size: Int) throws {
        var frame = StateFrame(StateOffer(revision: 7, .snapshot(state(size))))
        let addresses = try (0..<3).map { _ in
            var queue = WriteQueue()
            frame.add(to: &queue, applied: 5, on: 2)
            return try queue.batch().frames.withPieces(from: 0) { $0.map(\.baseAddress) }
        }
        #expect(addresses[0].count == 1)
        #expect(addresses[0] == addresses[1])
        #expect(addresses[1] == addresses[2])
    }

    @Test(arguments: [(applied: 6 as UInt64, channel: 2 as UInt32), (5, 3)])
    func otherNumbersMakeAnotherFrame(applied: UInt64, channel: UInt32) throws {
        let state = state(1_024)
        var frame = StateFrame(StateOffer(revision: 7, .snapshot(state)))
        var (first, second) = (WriteQueue(), WriteQueue())
        frame.add(to: &first, applied: 5, on: 2)
        frame.add(to: &second, applied: applied, on: channel)
        for (queue, message, number) in [
            (first, StateMessage(revision: 7, applied: 5, state: state), 2),
            (second, StateMessage(revision: 7, applied: applied, state: state), channel),
        ] {
            var queue = queue
            let frames = try queue.takeAll()
            #expect(frames.map(\.channel) == [number])
            #expect(try frames.map { try StateMessage(decoding: $0.body) } == [message])
        }
    }

    @Test("A change is sent as a patch, with the same bytes for all clients", arguments: [400, 1_024, 200_000])
    func patchesAreSharedToo(size: Int) throws {
        let changes = state(size)
        var frame = StateFrame(StateOffer(revision: 7, .patch(base: 4, changes: changes)))
        let message = PatchMessage(base: 4, revision: 7, applied: 5, changes: changes)
        var alone = WriteQueue()
        alone.addData(message, on: 2)
        let expected = alone.takeAllBytes()
        for _ in 0..<2 {
            var queue = WriteQueue()
            frame.add(to: &queue, applied: 5, on: 2)
            #expect(queue.takeAllBytes() == expected)
        }
    }

    @Test func aControlMessageOvertakesALargeOne() throws {
        var frame = StateFrame(StateOffer(revision: 1, .snapshot([UInt8](repeating: 1, count: 50 << 20))))
        var queue = WriteQueue()
        frame.add(to: &queue, applied: 0, on: 1)
        #expect(queue.isBacklogged(1))
        let batch = try queue.batch()
        #expect(batch.count <= FrameLimits.maximumBody + FrameHeader.size)
        queue.addControl(CancelMessage(event: 1), on: 1)
        _ = queue.finishWriting(batch.count)
        #expect(try WrittenFrame.all(in: queue.batch().bytes).first?.kind == .cancel)
    }

    @Test func largeOnesTakeTurnsWithOtherChannelsAndKeepTheirPlace() throws {
        var queue = WriteQueue()
        for channel in 1...2 as ClosedRange<UInt32> {
            var frame = StateFrame(StateOffer(revision: 1, .snapshot(state(150_000))))
            frame.add(to: &queue, applied: 0, on: channel)
            queue.addEvent(1, action: [1], on: channel)
        }
        #expect(
            try queue.takeAll().map(\.spoken) == [
                "state on 1 …", "state on 2 …", "state on 1 …", "state on 2 …", "state on 1", "state on 2",
                "event on 1", "event on 2",
            ]
        )
    }
}
