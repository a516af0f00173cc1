import LatticeCore
import LatticeSession
import LatticeWire
import Testing

struct OutboxTests {
    private let frame = FrameHeader.size

    @Test func anEmptyOneHasNothingToWrite() {
        var outbox = Outbox()
        #expect(outbox.isEmpty)
        let answer1 = outbox.startWriting()
        #expect(answer1 == nil)
        let answer2 = outbox.connectionIsWritable()
        #expect(!answer2)
    }

    @Test func smallFramesGoOutTogetherInOrder() throws {
        var outbox = Outbox()
        outbox.addEvent(1, action: [1], on: 3)
        outbox.addControl(CancelMessage(event: 1), on: 3)
        outbox.addState([2], revision: 1, applied: 1, on: 4)
        let frames = try outbox.takeAll()
        #expect(frames.map(\.spoken) == ["event on 3", "cancel on 3", "state on 4"])
        #expect(outbox.isEmpty)
    }

    @Test func oneThreadWritesAtATime() throws {
        var outbox = Outbox()
        outbox.addEvent(1, action: [1], on: 1)
        let batch = try outbox.batch()
        outbox.addEvent(2, action: [2], on: 1)
        let answer3 = outbox.startWriting()
        #expect(answer3 == nil)
        // Something came meanwhile: whoever wrote goes on.
        let answer4 = outbox.finishWriting(batch.count)
        #expect(answer4)
        let next = try outbox.batch()
        let answer5 = outbox.finishWriting(next.count)
        #expect(!answer5)
        #expect(outbox.isEmpty)
    }

    @Test func afterAPartNobodyWritesUntilThereIsRoom() throws {
        var outbox = Outbox()
        outbox.addEvent(1, action: [1, 2, 3], on: 1)
        let batch = try outbox.batch().bytes
        let answer6 = outbox.finishWriting(4)
        #expect(!answer6)
        let answer7 = outbox.startWriting()
        #expect(answer7 == nil)
        #expect(outbox.count == batch.count - 4)
        let answer8 = outbox.connectionIsWritable()
        #expect(answer8)
        let answer9 = outbox.connectionIsWritable()
        #expect(!answer9)
        let rest = try outbox.batch()
        #expect(rest.bytes == Array(batch[4...]))
        let answer10 = outbox.finishWriting(batch.count - 4)
        #expect(!answer10)
        #expect(outbox.isEmpty)
    }

    @Test func roomThatComesDuringTheWriteIsNotLost() throws {
        var outbox = Outbox()
        outbox.addEvent(1, action: [1, 2, 3], on: 1)
        _ = try outbox.batch()
        let answer11 = outbox.connectionIsWritable()
        #expect(!answer11)
        // Who wrote goes on instead of waiting for news that came already.
        let answer12 = outbox.finishWriting(4)
        #expect(answer12)
        let answer13 = outbox.startWriting()
        #expect(answer13 != nil)
    }

    @Test func aLargeMessageIsCutAndJoinedAgain() throws {
        var outbox = Outbox()
        let state = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        outbox.addState(state, revision: 7, applied: 5, on: 2)
        let frames = try outbox.takeAll()
        #expect(frames.count == 4)
        #expect(frames.dropLast().allSatisfy { $0.body.count == FrameLimits.maximumBody && $0.hasMore })
        #expect(frames.last?.hasMore == false)
        let joined = try StateMessage(decoding: frames.flatMap(\.body))
        #expect(joined == StateMessage(revision: 7, applied: 5, state: state))
    }

    @Test("F42: a control message overtakes fifty megabytes") func aControlMessageOvertakesFiftyMegabytes() throws {
        var outbox = Outbox()
        outbox.addState([UInt8](repeating: 1, count: 50 << 20), revision: 1, applied: 0, on: 1)
        let batch = try outbox.batch()
        #expect(batch.count <= FrameLimits.maximumBody + frame)
        outbox.addControl(CancelMessage(event: 1), on: 1)
        let answer14 = outbox.finishWriting(batch.count)
        #expect(answer14)
        let next = try outbox.batch()
        #expect(try frames(of: next).first?.kind == .cancel)
        #expect(next.count <= FrameLimits.maximumBody + 2 * frame + 64)
    }

    @Test func withinAChannelDataIsFirstInFirstOut() throws {
        var outbox = Outbox()
        outbox.addState([UInt8](repeating: 1, count: 100_000), revision: 1, applied: 0, on: 1)
        outbox.addEvent(1, action: [1], on: 1)
        outbox.addState([UInt8](repeating: 2, count: 100_000), revision: 2, applied: 0, on: 1)
        outbox.addEvent(2, action: [1], on: 1)
        let frames = try outbox.takeAll()
        #expect(
            frames.map(\.spoken) == [
                "state on 1 …", "state on 1", "event on 1", "state on 1 …", "state on 1", "event on 1",
            ]
        )
    }

    @Test func channelsTakeTurns() throws {
        var outbox = Outbox()
        for channel in 1...3 as ClosedRange<UInt32> {
            outbox.addState([UInt8](repeating: 1, count: 150_000), revision: 1, applied: 0, on: channel)
        }
        outbox.addEvent(1, action: [1], on: 4)
        let frames = try outbox.takeAll()
        #expect(frames.map(\.channel) == [1, 2, 3, 4, 1, 2, 3, 1, 2, 3])
    }

    @Test func aLongLineOfSmallFramesIsQuicklyTaken() throws {
        var outbox = Outbox()
        for event in 1...65_536 as ClosedRange<UInt64> { outbox.addEvent(event, action: [1, 2, 3, 4], on: 1) }
        var frames = 0
        while let batch = outbox.startWriting() {
            frames += try self.frames(of: batch).count
            #expect(batch.count <= 2 * OutboxLimits().batchBytes + 64)
            _ = outbox.finishWriting(batch.count)
        }
        #expect(frames == 65_536)
        #expect(outbox.isEmpty)
    }

    @Test func theLastWordWaitsForEverythingElse() throws {
        var outbox = Outbox()
        outbox.addState([UInt8](repeating: 1, count: 100_000), revision: 1, applied: 0, on: 1)
        outbox.addLast(Goodbye(code: .normal, reason: ""))
        outbox.addState([UInt8](repeating: 1, count: 100_000), revision: 1, applied: 0, on: 2)
        let frames = try outbox.takeAll()
        #expect(frames.last?.spoken == "goodbye on 0")
        #expect(frames.count == 5)
        #expect(outbox.isEmpty)
    }

    @Test func theLastWordAloneIsWritten() throws {
        var outbox = Outbox()
        outbox.addLast(Drained())
        #expect(!outbox.isEmpty)
        let frames = try outbox.takeAll()
        #expect(frames.map(\.spoken) == ["drained on 0"])
    }

    @Test func whatWaitsIsCountedAgainstTheLimit() throws {
        var limits = OutboxLimits()
        limits.maximumBytes = 100_000
        var outbox = Outbox(limits: limits)
        outbox.addState([UInt8](repeating: 1, count: 90_000), revision: 1, applied: 0, on: 1)
        #expect(!outbox.isOverLimit)
        outbox.addEvent(1, action: [UInt8](repeating: 1, count: 10_000), on: 2)
        #expect(outbox.isOverLimit)
        _ = try outbox.takeAll()
        #expect(!outbox.isOverLimit)
    }

    @Test func aChannelIsBackloggedWhileItsDataWaits() throws {
        var outbox = Outbox()
        #expect(!outbox.isBacklogged(1))
        outbox.addState([UInt8](repeating: 1, count: 300_000), revision: 1, applied: 0, on: 1)
        #expect(outbox.isBacklogged(1))
        #expect(!outbox.isBacklogged(2))
        let batch = try outbox.batch()
        #expect(outbox.isBacklogged(1))
        _ = outbox.finishWriting(batch.count)
        _ = try outbox.takeAll()
        #expect(!outbox.isBacklogged(1))
    }

    @Test("the data of a channel that comes later begins later, whatever its size", arguments: 0..<20 as Range<UInt64>)
    func channelsBeginInOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var limits = OutboxLimits()
        limits.batchBytes = 100_000
        limits.maximumUnfinished = 3
        limits.maximumUnfinishedBytes = 400_000
        var outbox = Outbox(limits: limits)
        var bytes: [UInt8] = []
        for channel in 1...300 as ClosedRange<UInt32> {
            let size = [nil, 10, 60_000, 100_000, 300_000].randomElement(using: &generator) ?? nil
            let state = size.map { [UInt8](repeating: 1, count: $0) }
            outbox.addOpen(Open(feature: "f", schema: 1, state: state), on: channel)
            guard Bool.random(using: &generator), let batch = outbox.startWriting() else { continue }
            bytes += batch.bytes
            _ = outbox.finishWriting(batch.count)
        }
        bytes += outbox.takeAllBytes()
        var begun: [UInt32] = []
        var seen: Set<UInt32> = []
        for frame in try WrittenFrame.all(in: bytes) where seen.insert(frame.channel).inserted {
            begun.append(frame.channel)
        }
        #expect(begun == Array(1...300))
    }

    private func frames(of batch: OutboxBatch) throws -> [WrittenFrame] {
        try WrittenFrame.all(in: batch.bytes)
    }
}
