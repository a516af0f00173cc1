import Synchronization

/// A descriptor with one owner. It is closed with this object, unless a caller has taken it.
package final class OwnedDescriptor: Sendable {
    private static let none: Int32 = -1
    private let value: Atomic<Int32>

    package init(_ descriptor: Int32) {
        value = Atomic(descriptor)
    }

    /// The number, for calls that only use it; -1 after it was taken or closed.
    package var number: Int32 { value.load(ordering: .acquiring) }

    /// Passes the ownership of the descriptor to the caller, which has to close it. Returns -1 if it was taken or
    /// closed before.
    package func take() -> Int32 {
        value.exchange(Self.none, ordering: .acquiringAndReleasing)
    }

    /// Closes the descriptor. It can be called more than once.
    package func close() {
        let descriptor = take()
        if descriptor >= 0 { System.close(descriptor) }
    }

    deinit {
        close()
    }
}
