package import LatticeCore

/// A feature that records numbers in order.
package enum JournalFeature: HostedFeature {
    package enum Action: Codable, Sendable, Equatable {
        /// Adds the number.
        case add(Int)
        /// Changes nothing.
        case nothing
        /// Adds the number, waits at the gate, and adds the same number, negative.
        case wait(Int, gate: String)
        /// Adds the number and waits until the next action of this kind replaces it.
        case replace(Int)
        /// Fails with the message.
        case fail(String)
        /// Makes the state this many bytes larger.
        case grow(Int)
        /// Makes the state this many bytes larger, in an effect.
        case growLater(Int)
        /// Makes the state impossible to encode or decode, or repairs it with nil.
        case damage(String?)
        /// Carries a value whose encoding fails, so the action cannot be sent.
        case unencodable(Unencodable)
    }

    package struct DomainState: Codable, Sendable, Equatable {
        package var entries: [Int] = []
        package var padding: String = ""
        package var damage: Damage?

        package init(entries: [Int] = []) {
            self.entries = entries
        }
    }

    package struct ViewState: Codable, Sendable, Equatable {
        package var sum: Int
        package var count: Int
        package var last: Int?
        package var padding = ""

        package init(sum: Int = 0, count: Int = 0, last: Int? = nil, padding: String = "") {
            self.sum = sum
            self.count = count
            self.last = last
            self.padding = padding
        }
    }

    package static let identifier = "journal"
    package static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    package static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .add(let number):
                state.entries.append(number)
                return .none
            case .nothing, .unencodable:
                return .none
            case .wait(let number, let gate):
                state.entries.append(number)
                return .perform {
                    try await Gates.wait(gate)
                    return .add(-number)
                }
            case .replace(let number):
                state.entries.append(number)
                return .perform {
                    try await Task.sleep(for: .seconds(86_400))
                    return nil
                }
                .cancellable(id: "replace", cancelInFlight: true)
            case .fail(let message):
                return .perform { throw EffectFailure(type: "Failure", message: message) }
            case .grow(let bytes):
                state.padding += String(repeating: "x", count: bytes)
                return .none
            case .growLater(let bytes):
                return .perform { .grow(bytes) }
            case .damage(let damage):
                state.damage = damage.flatMap(Damage.init)
                return .none
            }
        }
    }

    package static func reducer() -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: { _ in ViewState() }) { state, view in
            view.sum = state.entries.reduce(0, +)
            view.count = state.entries.count
            view.last = state.entries.last
            view.padding = state.padding
        }
    }
}

/// A part of a state that makes the state impossible to encode or to decode.
package enum Damage: String, Codable, Sendable, Equatable {
    case unencodable
    case undecodable

    package func encode(to encoder: any Encoder) throws {
        if case .unencodable = self { throw EffectFailure(type: "Damaged", message: "it has no bytes") }
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package init(from decoder: any Decoder) throws {
        let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "it is damaged")
        throw DecodingError.dataCorrupted(context)
    }
}

/// A value whose encoding fails.
package struct Unencodable: Codable, Sendable, Equatable {
    package init() {}

    package func encode(to encoder: any Encoder) throws {
        throw EffectFailure(type: "Unencodable", message: "it has no bytes")
    }

    package init(from decoder: any Decoder) throws {}
}
