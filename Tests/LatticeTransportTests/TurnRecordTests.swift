import CLatticeSystem
import LatticeConcurrency
import Testing

@testable import LatticeTransport

#if os(Linux) || os(macOS)
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
