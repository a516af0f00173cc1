import LatticeConcurrency
package import LatticeCore

/// A feature with a worker-local part that counts how often it was copied. Its states are sent as patches.
package enum CopiesFeature: HostedFeature {
    package enum Action: Codable, Sendable, Equatable {
        case add(Int)
        case grow(Int)
    }

    package struct DomainState: Patchable, Sendable {
        /// The sum of the worker-local numbers after the last event.
        package var sum = 0
        /// The number of times that the worker-local part was copied up to the last event.
        package var copies = 0
        package var padding = ""
        @WorkerLocal var numbers = Numbers()

        package init() {}

        package func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("sum", from: old.sum, to: sum)
            try patch.field("copies", from: old.copies, to: copies)
            try patch.field("padding", from: old.padding, to: padding)
        }

        package mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "sum": try patch.apply(to: &sum)
                case "copies": try patch.apply(to: &copies)
                case "padding": try patch.apply(to: &padding)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    /// A value that is copied when it is changed while another value shares its storage.
    struct Numbers: WorkerLocalValue, Sendable {
        private final class Storage: Sendable {
            let numbers: Locked<[Int]>
            let copies: Int

            init(_ numbers: [Int], copies: Int) {
                self.numbers = Locked(numbers)
                self.copies = copies
            }
        }

        private var storage = Storage([], copies: 0)

        var sum: Int { storage.numbers.withLock { $0.reduce(0, +) } }
        var copies: Int { storage.copies }

        mutating func append(_ number: Int) {
            if !isKnownUniquelyReferenced(&storage) {
                storage = Storage(storage.numbers.withLock(\.self), copies: storage.copies + 1)
            }
            storage.numbers.withLock { $0.append(number) }
        }
    }

    package static let identifier = "copies"
    package static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    package static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .add(let number):
                state.numbers.append(number)
            case .grow(let bytes):
                state.numbers.append(1000)
                state.padding = String(repeating: "x", count: bytes)
            }
            state.sum = state.numbers.sum
            state.copies = state.numbers.copies
            return .none
        }
    }

    package static func reducer() -> BuildViewState<DomainState, Int> {
        BuildViewState(initial: \.sum) { state, sum in sum = state.sum }
    }
}
