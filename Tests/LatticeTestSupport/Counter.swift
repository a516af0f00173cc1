package import LatticeCore

/// The feature of the example program `counter`, declared again for coordinators and clients in tests.
///
/// Tests do not import programs. A test that starts `counter` as its worker uses this declaration, which matches the
/// example's on the wire.
package enum Counter: HostedFeature {
    package enum Action: Codable, Sendable {
        case add(Int)
        case addLater(Int)
    }

    package static let identifier = "counter"
    package static func initialDomainState(in context: HostContext) -> Int { 0 }

    package static func interactor(in context: HostContext) -> Interact<Int, Action> {
        Interact { sum, action in
            switch action {
            case .add(let number):
                sum += number
                return .none
            case .addLater(let number): return .action(.add(number))
            }
        }
    }

    package static func reducer() -> BuildViewState<Int, String> {
        BuildViewState(initial: { _ in "" }) { sum, text in text = "sum \(sum)" }
    }
}
