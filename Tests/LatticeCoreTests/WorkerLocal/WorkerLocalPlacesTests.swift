import LatticeCore
import Testing

@Suite struct WorkerLocalPlacesTests {
    struct Part: Codable, Equatable {
        var name = "n"
        @WorkerLocal var numbers = [1]
    }

    struct State: Codable, Equatable {
        var name = "s"
        var isShown = true
        @WorkerLocal var text: String? = "t"
        var part = Part()
        var mayBe: Part?
        var deep: Part??
        var parts = [Part()]
        var count = 7
    }

    indirect enum Tree: Codable, Equatable {
        case leaf(Part)
        case node(Tree, Tree)
    }

    final class Object: Codable {
        @WorkerLocal var numbers = [1]
    }

    private func parts(of state: State) -> [[Int]?] {
        [
            state.text.map { _ in [] }, state.part.numbers, state.mayBe?.numbers, state.deep??.numbers,
            state.parts[0].numbers,
        ]
    }

    @Test("Each worker-local part is replaced by that of the other value, and the rest stays")
    func replaced() {
        var state = State(mayBe: Part(name: "m"), deep: Part(name: "d"))
        var other = State(text: nil, part: Part(numbers: [2]), mayBe: Part(numbers: [3]), deep: Part(numbers: [4]))
        other.name = "another"
        other.parts[0].numbers = [5]
        WorkerLocalPlaces().replaceParts(of: &state, byThoseOf: other)
        #expect(parts(of: state) == [nil, [2], [3], [4], [1]])
        #expect(state == State(mayBe: Part(name: "m"), deep: Part(name: "d")))
    }

    @Test("Without another value, each worker-local part is reset as in a new worker", arguments: [true, false])
    func cleared(isOtherThere: Bool) {
        let full = State(mayBe: Part(), deep: Part())
        var state = full
        // An optional that is nil there has no part to take.
        let other = isOtherThere ? State(text: nil, part: Part(numbers: [])) : nil
        WorkerLocalPlaces().replaceParts(of: &state, byThoseOf: other)
        #expect(parts(of: state) == [nil, [], [], [], [1]])
        #expect(state == full)
        #expect(full.text == "t")
        var empty = State()
        WorkerLocalPlaces().replaceParts(of: &empty, byThoseOf: full)
        #expect(empty.mayBe == nil)
        #expect(empty.text == "t")
    }

    @Test("Worker-local parts inside trees, objects and arrays are left alone")
    func noPlaces() {
        var tree = Tree.node(.leaf(Part()), .leaf(Part(name: "m")))
        WorkerLocalPlaces().replaceParts(of: &tree, byThoseOf: nil)
        #expect(tree == .node(.leaf(Part()), .leaf(Part(name: "m"))))
        var object = Object()
        WorkerLocalPlaces().replaceParts(of: &object, byThoseOf: nil)
        #expect(object.numbers == [1])
        var list = [Part()]
        WorkerLocalPlaces().replaceParts(of: &list, byThoseOf: [])
        #expect(list[0].numbers == [1])
        var part = WorkerLocal(wrappedValue: [1])
        WorkerLocalPlaces().replaceParts(of: &part, byThoseOf: nil)
        #expect(part.wrappedValue == [])
    }
}
