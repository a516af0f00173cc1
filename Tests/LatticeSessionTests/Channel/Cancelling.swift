import LatticeWire

@testable import LatticeSession

// Cancelling without a reason, for tests of what happens to the event.

extension ChannelClientState {
    mutating func cancel(_ event: UInt64) -> Cancelling { cancel(event, WireCancellation()) }
}

extension EventWindow {
    mutating func cancel(_ number: UInt64) -> Entry? { cancel(number, WireCancellation()) }
}

extension EventWindow.Entry {
    var isCancelled: Bool { if case .requested = cancelling { true } else { false } }
}
