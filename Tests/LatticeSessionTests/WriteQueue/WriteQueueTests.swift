import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

struct WriteQueueTests {
    private let frame = FrameHeader.size

    @Test func anEmptyOneHasNothingToWrite() {
        var queue = WriteQueue()
        #expect(queue.isEmpty)
        let answer1 = queue.startWriting()
        #expect(answer1 == nil)
        let answer2 = queue.connectionIsWritable()
        #expect(!answer2)
    }

    @Test func smallFramesGoOutTogetherInOrder() throws {
        var queue = WriteQueue()
        queue.addEvent(1, action: [1], on: 3)
        queue.addControl(CancelMessage(event: 1), on: 3)
        queue.addState([2], revision: 1, applied: 1, on: 4)
        let frames = try queue.takeAll()
        #expect(frames.map(\.spoken) == ["event on 3", "cancel on 3", "state on 4"])
        #expect(queue.isEmpty)
    }

    @Test func oneThreadWritesAtATime() throws {
        var queue = WriteQueue()
        queue.addEvent(1, action: [1], on: 1)
        let batch = try queue.batch()
        queue.addEvent(2, action: [2], on: 1)
        let answer3 = queue.startWriting()
        #expect(answer3 == nil)
        // A frame was added during the write, so the writer continues.
        let answer4 = queue.finishWriting(batch.count)
        #expect(answer4)
        let next = try queue.batch()
        let answer5 = queue.finishWriting(next.count)
        #expect(!answer5)
        #expect(queue.isEmpty)
    }

    @Test func afterAPartialWriteNoThreadWritesUntilThereIsRoom() throws {
        var queue = WriteQueue()
        queue.addEvent(1, action: [1, 2, 3], on: 1)
        let batch = try queue.batch().bytes
        let answer6 = queue.finishWriting(4)
        #expect(!answer6)
        let answer7 = queue.startWriting()
        #expect(answer7 == nil)
        #expect(queue.count == batch.count - 4)
        let answer8 = queue.connectionIsWritable()
        #expect(answer8)
        let answer9 = queue.connectionIsWritable()
        #expect(!answer9)
        let rest = try queue.batch()
        #expect(rest.bytes == Array(batch[4...]))
        let answer10 = queue.finishWriting(batch.count - 4)
        #expect(!answer10)
        #expect(queue.isEmpty)
    }

    @Test func roomThatComesDuringTheWriteIsNotLost() throws {
        var queue = WriteQueue()
        queue.addEvent(1, action: [1, 2, 3], on: 1)
        _ = try queue.batch()
        let answer11 = queue.connectionIsWritable()
        #expect(!answer11)
        // The writer continues, because the notification of room came during its write.
        let answer12 = queue.finishWriting(4)
        #expect(answer12)
        let answer13 = queue.startWriting()
        #expect(answer13 != nil)
    }

    @Test func aLargeMessageIsCutAndJoinedAgain() throws {
        var queue = WriteQueue()
        let state = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        queue.addState(state, revision: 7, applied: 5, on: 2)
        let frames = try queue.takeAll()
        #expect(frames.count == 4)
        #expect(frames.dropLast().allSatisfy { $0.body.count == FrameLimits.maximumBody && $0.hasMore })
        #expect(frames.last?.hasMore == false)
        let joined = try StateMessage(decoding: frames.flatMap(\.body))
        #expect(joined == StateMessage(revision: 7, applied: 5, state: state))
    }

    @Test("A control message overtakes fifty megabytes (F42)") func aControlMessageOvertakesFiftyMegabytes() throws {
        var queue = WriteQueue()
        queue.addState([UInt8](repeating: 1, count: 50 << 20), revision: 1, applied: 0, on: 1)
        let batch = try queue.batch()
        // The message that says the length, and the first part.
        #expect(batch.count <= FrameLimits.maximumBody + 2 * frame + 64)
        queue.addControl(CancelMessage(event: 1), on: 1)
        let answer14 = queue.finishWriting(batch.count)
        #expect(answer14)
        let next = try queue.batch()
        #expect(try frames(of: next).first?.kind == .cancel)
        #expect(next.count <= FrameLimits.maximumBody + 2 * frame + 64)
    }

    @Test func withinAChannelDataIsFirstInFirstOut() throws {
        var queue = WriteQueue()
        queue.addState([UInt8](repeating: 1, count: 100_000), revision: 1, applied: 0, on: 1)
        queue.addEvent(1, action: [1], on: 1)
        queue.addState([UInt8](repeating: 2, count: 100_000), revision: 2, applied: 0, on: 1)
        queue.addEvent(2, action: [1], on: 1)
        let frames = try queue.takeAll()
        #expect(
            frames.map(\.spoken) == [
                "state on 1 …", "state on 1", "event on 1", "state on 1 …", "state on 1", "event on 1",
            ]
        )
    }

    @Test func channelsTakeTurns() throws {
        var queue = WriteQueue()
        for channel in 1...3 as ClosedRange<UInt32> {
            queue.addState([UInt8](repeating: 1, count: 150_000), revision: 1, applied: 0, on: channel)
        }
        queue.addEvent(1, action: [1], on: 4)
        let frames = try queue.takeAll()
        #expect(frames.map(\.channel) == [1, 2, 3, 4, 1, 2, 3, 1, 2, 3])
    }

    @Test func aLongLineOfSmallFramesIsQuicklyTaken() throws {
        var queue = WriteQueue()
        for event in 1...65_536 as ClosedRange<UInt64> { queue.addEvent(event, action: [1, 2, 3, 4], on: 1) }
        var frames = 0
        while let batch = queue.startWriting() {
            frames += try self.frames(of: batch).count
            #expect(batch.count <= 2 * WriteQueueLimits().batchBytes + 64)
            _ = queue.finishWriting(batch.count)
        }
        #expect(frames == 65_536)
        #expect(queue.isEmpty)
    }

    @Test func theLastWordWaitsForEverythingElse() throws {
        var queue = WriteQueue()
        queue.addState([UInt8](repeating: 1, count: 100_000), revision: 1, applied: 0, on: 1)
        queue.addLast(Goodbye(code: .normal, reason: ""))
        queue.addState([UInt8](repeating: 1, count: 100_000), revision: 1, applied: 0, on: 2)
        let frames = try queue.takeAll()
        #expect(frames.last?.spoken == "goodbye on 0")
        #expect(frames.count == 5)
        #expect(queue.isEmpty)
    }

    @Test func theLastWordAloneIsWritten() throws {
        var queue = WriteQueue()
        queue.addLast(Drained())
        #expect(!queue.isEmpty)
        let frames = try queue.takeAll()
        #expect(frames.map(\.spoken) == ["drained on 0"])
    }

    @Test func waitingFramesCountAgainstTheLimit() throws {
        var limits = WriteQueueLimits()
        limits.maximumBytes = 100_000
        var queue = WriteQueue(limits: limits)
        queue.addState([UInt8](repeating: 1, count: 90_000), revision: 1, applied: 0, on: 1)
        #expect(!queue.isOverLimit)
        queue.addEvent(1, action: [UInt8](repeating: 1, count: 10_000), on: 2)
        #expect(queue.isOverLimit)
        _ = try queue.takeAll()
        #expect(!queue.isOverLimit)
    }

    @Test func aChannelIsBackloggedWhileItsDataWaits() throws {
        var queue = WriteQueue()
        #expect(!queue.isBacklogged(1))
        queue.addState([UInt8](repeating: 1, count: 300_000), revision: 1, applied: 0, on: 1)
        #expect(queue.isBacklogged(1))
        #expect(!queue.isBacklogged(2))
        let batch = try queue.batch()
        #expect(queue.isBacklogged(1))
        _ = queue.finishWriting(batch.count)
        _ = try queue.takeAll()
        #expect(!queue.isBacklogged(1))
    }

    @Test("The data of a later channel is sent later, whatever its size", arguments: 0..<20 as Range<UInt64>)
    func channelsBeginInOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var limits = WriteQueueLimits()
        limits.batchBytes = 100_000
        limits.maximumUnfinished = 3
        limits.maximumUnfinishedBytes = 400_000
        var queue = WriteQueue(limits: limits)
        var bytes: [UInt8] = []
        for channel in 1...300 as ClosedRange<UInt32> {
            let size = [nil, 10, 60_000, 100_000, 300_000].randomElement(using: &generator) ?? nil
            let state = size.map { [UInt8](repeating: 1, count: $0) }
            queue.addOpen(Open(feature: "f", schema: 1, state: state), on: channel)
            guard Bool.random(using: &generator), let batch = queue.startWriting() else { continue }
            bytes += batch.bytes
            _ = queue.finishWriting(batch.count)
        }
        bytes += queue.takeAllBytes()
        var begun: [UInt32] = []
        var seen: Set<UInt32> = []
        for frame in try WrittenFrame.all(in: bytes) where seen.insert(frame.channel).inserted {
            begun.append(frame.channel)
        }
        #expect(begun == Array(1...300))
    }

    private func frames(of batch: WriteBatch) throws -> [WrittenFrame] {
        try WrittenFrame.all(in: batch.bytes)
    }
}
