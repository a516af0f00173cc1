import CLatticeSystem
import LatticeConcurrency
import Testing

@testable import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

#if os(Linux) || os(macOS)
private let dealt = Locked(0)

/// On the thread that has raised the signal, outside of the lock.
private func dealWith(_ number: Int32) {
    dealt.withLock { $0 += 1 }
    signal(number, dealWith)
}

/// What a worker tells of its turns in memory, and what is read there.
struct TurnRecordTests {
    @Test("in a turn it is known whose it is and for how long it has run; outside of one there is nothing to know")
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
            // One that has ended does not end again.
            record.end()
            #expect(record.number == number + 2)
        }
    }

    @Test("F94: what the system has refused a worker is known to its coordinator, and says nothing of turns")
    func lack() throws {
        let record = try #require(try TurnRecord.make()).record
        #expect(record.lack == nil)
        record.note(lack: EAGAIN)
        #expect(record.lack == EAGAIN)
        #expect(record.turn == nil)
        #expect(TransportError.workerLacks(EAGAIN).isLackOfResources)
    }

    @Test("who holds the memory cannot make it smaller, which would end whoever reads it")
    func size() throws {
        let (record, shared) = try #require(try TurnRecord.make())
        #expect(shared.number > TurnRecord.descriptor)
        #if os(Linux)
        #expect(ftruncate(shared.number, 0) == -1)
        #endif
        record.begin(.effect)
        #expect(record.turn?.subject == .effect)
    }

    @Test("a variable that names something else makes no record", arguments: ["", "4", "-1", "x", "99999999999", "3 "])
    func otherVariables(variable: String) {
        #expect(TurnRecord(named: variable) == nil)
    }

    @Test("a signal that a handler deals with, and installs itself for again, is no crash and comes once")
    func dealtWith() throws {
        let descriptor = lattice_make_turns()
        defer { close(descriptor) }
        // For good: the handler writes there.
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

    @Test("what is read while another thread writes belongs together")
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
        // Whoever reads finds one, though it comes late.
        record.begin(.event(5, channel: 5))
        isOver.complete()
        #expect(await found > 0)
    }
}
#endif
