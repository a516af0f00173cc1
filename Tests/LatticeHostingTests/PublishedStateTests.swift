import LatticeCoding
import LatticeCollections
import LatticeConcurrency
import LatticeSession
import Testing

@testable import LatticeHosting

struct PublishedStateTests {
    private typealias Texts = StateDictionary<Int, String>

    private func publish(_ state: Texts) throws -> PublishedState<Texts> {
        PublishedState(state, bytes: try CBOREncoder().encode(state).count, try #require(StatePatching.make()))
    }

    @Test("Changes of a state that does not grow do not make it count as large")
    func measuredAgain() throws {
        var state = Texts()
        for key in 0..<100 { state[key] = "0" }
        let published = try publish(state)
        let text = String(repeating: "x", count: 1000)
        for number in 1...1000 {
            state[number % 100] = text + "\(number)"
            _ = try published.advance(to: state, limit: 1 << 30)
            #expect(published.maximumBytes <= CodingThreads.largeBytes)
        }
        #expect(try published.maximumBytes >= CBOREncoder().encode(state).count)
    }

    @Test("A state that grows is measured again at twice its size, and counts as large once it is")
    func measuredAtDoubleSize() throws {
        var state = Texts()
        let published = try publish(state)
        let text = String(repeating: "x", count: 1000)
        for number in 1...1000 {
            state[number] = text
            _ = try published.advance(to: state, limit: 1 << 30)
            let bytes = try CBOREncoder().encode(state).count
            #expect(bytes...(2 * bytes + CodingThreads.largeBytes) ~= published.maximumBytes)
        }
        #expect(published.maximumBytes >= CodingThreads.largeBytes)
    }

    @Test("A state that is too large is not accepted, however small its change is")
    func tooLarge() throws {
        var state = Texts()
        let published = try publish(state)
        let text = String(repeating: "x", count: 100)
        var accepted = 0
        for number in 1...20 {
            state[number] = text
            guard case .changed = try published.advance(to: state, limit: 1000) else { break }
            accepted = number
        }
        #expect(accepted == 9)
    }
}
