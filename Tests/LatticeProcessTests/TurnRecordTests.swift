import CLatticeSystem
import LatticeConcurrency
import LatticeProcess
import LatticeTransport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

#if os(Linux) || os(macOS)
private let dealt = Locked(0)

/// Handles the signal on the thread that raised it, outside of the lock.
private func dealWith(_ number: Int32) {
    dealt.withLock { $0 += 1 }
    signal(number, dealWith)
}

/// Tests the record of turns that a worker shares in memory with its coordinator.
struct TurnRecordTests {
    @Test("The record shows whose turn runs and for how long, and nothing outside of a turn")
    func turns() throws {
        let record = try #require(try TurnRecord.make()).record
        #expect(record.turn == nil)
        for subject in [TurnRecord.Turn.Subject.event(7, channel: 3), .effect, .event(.max, channel: .max)] {
            let number = record.number
            record.begin(subject)
            let turn = try #require(record.turn)
            #expect(turn.subject == subject)
            #expect(turn.elapsed >= .zero && turn.elapsed < .seconds(60))
            #expect(record.number == number + 1)
            record.end()
            #expect(record.turn == nil)
            #expect(record.number == number + 2)
            // An ended turn does not end again.
            record.end()
            #expect(record.number == number + 2)
        }
    }

    @Test(
        "The coordinator knows what resource the system refused a worker, and the record of turns is unaffected (F94)"
    )
    func lack() throws {
        let record = try #require(try TurnRecord.make()).record
        #expect(record.lack == nil)
        record.note(lack: EAGAIN)
        #expect(record.lack == EAGAIN)
        #expect(record.turn == nil)
        #expect(TransportError.workerLacks(EAGAIN).isLackOfResources)
    }

    @Test("The coordinator knows whether the worker has seen the end of its session, and the turns are unaffected")
    func sessionEnd() throws {
        let record = try #require(try TurnRecord.make()).record
        #expect(!record.hasSessionEnd)
        record.noteSessionEnd()
        #expect(record.hasSessionEnd && record.turn == nil && record.crash == nil && !record.isOverdue)
    }

    @Test("The holder of the shared memory cannot shrink it, which would crash its readers")
    func size() throws {
        let (record, shared) = try #require(try TurnRecord.make())
        #expect(shared.number > TurnRecord.descriptor)
        #if os(Linux)
        #expect(ftruncate(shared.number, 0) == -1)
        #endif
        record.begin(.effect)
        #expect(record.turn?.subject == .effect)
    }

    @Test("A variable that names something else makes no record", arguments: ["", "4", "-1", "x", "99999999999", "3 "])
    func otherVariables(variable: String) {
        #expect(TurnRecord(named: variable) == nil)
    }

    @Test(
        "A signal that a handler deals with is no crash and is delivered once, although the handler reinstalls itself"
    )
    func dealtWith() throws {
        let descriptor = lattice_make_turns()
        defer { close(descriptor) }
        // The memory is never unmapped, because the signal handler writes there.
        let turns = try #require(lattice_map_turns(descriptor))
        signal(SIGSYS, dealWith)
        lattice_note_crashes(turns)
        raise(SIGSYS)
        signal(SIGSYS, SIG_DFL)
        let calls = dealt.withLock { $0 }
        #expect(calls == 1)
        var start: UInt64 = 0
        #expect(lattice_read_crash(turns, &start) == 0)
        #expect(start != 0)
    }

    @Test("Values that are read during a concurrent write are consistent")
    func readers() async throws {
        let record = try #require(try TurnRecord.make()).record
        let isOver = OneShot<Void>()
        async let found: Int = {
            var found = 0
            while !isOver.isComplete || found == 0 {
                guard case .event(let event, let channel)? = record.turn?.subject else { continue }
                #expect(event == UInt64(channel))
                found += 1
            }
            return found
        }()
        for number in 1...200_000 as ClosedRange<UInt32> {
            record.begin(.event(UInt64(number), channel: number))
            record.end()
        }
        // The reader finds a turn, although it starts late.
        record.begin(.event(5, channel: 5))
        isOver.complete()
        #expect(await found > 0)
    }
}
#endif
