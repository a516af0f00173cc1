import LatticeCore

/// A plain array of 10 MB in a patchable state. To find the changes, an old array is kept and compared.
enum ArrayFeature: HostedFeature {
    static let identifier = "bench-array"
    static func initialDomainState(in context: HostContext) -> ArrayState { ArrayState() }

    static func interactor(in context: HostContext) -> Interact<ArrayState, Int> {
        Interact { state, number in
            state.elements[KeyedState.key(of: number, in: state.elements.count)].number = number
            state.newest = number
            return .none
        }
    }

    /// Creates a reducer that shows the element that was changed last.
    static func reducer() -> BuildViewState<ArrayState, TextElement> {
        BuildViewState(initial: { $0.elements[0] }) { state, shown in
            shown = state.elements[KeyedState.key(of: state.newest, in: state.elements.count)]
        }
    }
}

struct ArrayState: Patchable, Sendable {
    var elements = (0..<100_000).map { TextElement($0, bytes: 84) }
    var newest = 0

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("elements", from: old.elements, to: elements)
        try patch.field("newest", from: old.newest, to: newest)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "elements": try patch.apply(to: &elements)
            case "newest": try patch.apply(to: &newest)
            default: throw patch.unknownField(name)
            }
        }
    }
}
