import Foundation
import LatticeCore
import Testing

@MainActor @Suite struct WorkerLocalTests {
    struct Cache: WorkerLocalValue, Sendable {
        var numbers: [Int] = []
    }

    struct Part: Codable, Hashable, Sendable {
        var name = ""
        @WorkerLocal var cache = Cache(numbers: [1])
    }

    struct State: Codable, Hashable, Sendable {
        enum CodingKeys: String, CodingKey {
            case count, cache = "c", part, parts, named
        }

        var count = 0
        @WorkerLocal var cache = Cache()
        var part = Part()
        var parts: [Part] = []
        var named: [String: Part] = [:]
    }

    enum Feature: HostedFeature {
        typealias Action = Int

        static let identifier = "cache"
        static func initialDomainState(in context: HostContext) -> State { State() }

        static func interactor(in context: HostContext) -> Interact<State, Int> {
            Interact { state, number in
                state.count += 1
                state.cache.numbers.append(number)
                return .none
            }
        }

        static func reducer() -> BuildViewState<State, [Int]> {
            BuildViewState(initial: { _ in [] }) { state, shown in shown = [state.count] + state.cache.numbers }
        }
    }

    @Test("A worker-local property has no key in encoded states, and decoding looks for none")
    func notCoded() throws {
        var state = State(count: 2, parts: [Part(name: "p")], named: ["n": Part()])
        state.cache.numbers = [7]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = try encoder.encode(state)
        let text = #"{"count":2,"named":{"n":{"name":""}},"part":{"name":""},"parts":[{"name":"p"}]}"#
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        let decoded = try JSONDecoder().decode(State.self, from: bytes)
        #expect(decoded == state)
        // The value is that of a new worker, not the property's initial value.
        #expect(decoded.cache.numbers == [])
        #expect(decoded.part.cache.numbers == [])
        let other = try JSONDecoder().decode(Part.self, from: Data(#"{"name":"n","cache":"text"}"#.utf8))
        #expect(other.name == "n")
    }

    @Test("States that differ only in worker-local parts are equal, and print the same")
    func notCompared() {
        var (one, other) = (State(), State())
        one.cache.numbers = [1]
        #expect(one == other)
        #expect(Set([one, other]).count == 1)
        #expect("\(one)" == "\(other)")
        #expect(Mirror(reflecting: WorkerLocal(wrappedValue: one.cache)).children.isEmpty)
        other.count = 1
        #expect(one != other)
    }

    @Test("A worker-local value alone is encoded as null")
    func alone() throws {
        let bytes = try JSONEncoder().encode([WorkerLocal(wrappedValue: "text")])
        #expect(String(decoding: bytes, as: UTF8.self) == "[null]")
        #expect(try JSONDecoder().decode([WorkerLocal<String>].self, from: bytes)[0].wrappedValue == "")
    }

    @Test func valuesOfANewWorker() {
        #expect(WorkerLocal<[Int]>().wrappedValue == [])
        #expect(WorkerLocal<[Int: Int]>().wrappedValue == [:])
        #expect(WorkerLocal<Set<Int>>().wrappedValue == [])
        #expect(WorkerLocal<Int?>().wrappedValue == nil)
        #expect(WorkerLocal<String>().wrappedValue == "")
    }

    @Test("A turn changes worker-local state in place")
    func inPlace() {
        var state = State()
        let interactor = Interact<State, Int> { state, number in
            state.cache.numbers[number] += 1
            return .none
        }
        state.cache.numbers = Array(repeating: 0, count: 1000)
        let runtime = FeatureRuntime(initialState: state, interactor: interactor, isolation: MainActor.shared)
        state.cache = Cache()
        func place() -> Int { runtime.state.cache.numbers.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
        let before = place()
        for number in 0..<10 { runtime.send(number) }
        #expect(place() == before)
        #expect(runtime.state.cache.numbers.prefix(11) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    }

    @Test("Reading worker-local state in a reducer is reported, and returns the value of a new worker")
    func notInReducers() {
        var viewModel: ViewModel<Feature>?
        func expectReport(_ body: () -> Void) {
            withKnownIssue {
                body()
            } matching: { issue in
                "\(issue)".contains("A @WorkerLocal property of type Cache was read in a reducer")
            }
        }
        expectReport { viewModel = ViewModel(inProcess: Feature.self) }
        expectReport { viewModel?.sendViewEvent(7) }
        #expect(viewModel?.viewState == [1])
    }

    @Test("Another thread may read worker-local state while a reducer runs")
    func otherThreads() {
        var state = State()
        state.cache.numbers = [1]
        let group = DispatchGroup()
        WorkerLocalAccess.deny {
            DispatchQueue.global().async(group: group) { [state] in #expect(state.cache.numbers == [1]) }
            group.wait()
        }
        #expect(state.cache.numbers == [1])
    }

    // MARK: Going back

    struct Broken: Codable, Hashable, Sendable {
        func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }

    struct Outer: Codable, Equatable, Sendable {
        var broken = Broken()
        var optional: Part?
        var state = State()
        @WorkerLocal var cache = Cache()
    }

    @Test("Going back to an earlier state keeps worker-local parts, wherever they are in the state")
    func carried() throws {
        var now = Outer(optional: Part())
        now.cache.numbers = [1]
        now.optional?.cache.numbers = [2]
        now.state.cache.numbers = [3]
        now.state.part.cache.numbers = [4]
        now.state.named = ["kept": Part(), "new": Part()]
        now.state.named["kept"]?.cache.numbers = [5]
        now.state.parts = [Part()]
        let text = """
            {"broken": {}, "optional": {"name": ""}, "state": {"count": 8, "part": {"name": "p"},
             "parts": [{"name": ""}], "named": {"kept": {"name": ""}, "lost": {"name": ""}}}}
            """
        let state = try WorkerLocalParts.carry(from: now) {
            try JSONDecoder().decode(Outer.self, from: Data(text.utf8))
        }
        #expect(state.state.count == 8)
        #expect(state.state.part.name == "p")
        #expect(state.cache.numbers == [1])
        #expect(state.optional?.cache.numbers == [2])
        #expect(state.state.cache.numbers == [3])
        #expect(state.state.part.cache.numbers == [4])
        #expect(state.state.named["kept"]?.cache.numbers == [5])
        #expect(state.state.named["lost"]?.cache.numbers == [])
        #expect(state.state.parts[0].cache.numbers == [])
        // Another decoding does not get the kept values.
        #expect(try JSONDecoder().decode(Outer.self, from: Data(text.utf8)).cache.numbers == [])
    }
}
