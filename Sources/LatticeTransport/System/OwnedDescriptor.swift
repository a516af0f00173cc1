import Synchronization

/// A descriptor with one owner: closed with this object, unless somebody has taken it.
package final class OwnedDescriptor: Sendable {
    private static let none: Int32 = -1
    private let value: Atomic<Int32>

    package init(_ descriptor: Int32) {
        value = Atomic(descriptor)
    }

    /// The number, for a call that only uses it; -1 once it was taken or closed.
    package var number: Int32 { value.load(ordering: .acquiring) }

    /// Hands the descriptor over: the caller closes it from now on. -1 if that has happened before.
    package func take() -> Int32 {
        value.exchange(Self.none, ordering: .acquiringAndReleasing)
    }

    /// Idempotent.
    package func close() {
        let descriptor = take()
        if descriptor >= 0 { System.close(descriptor) }
    }

    deinit {
        close()
    }
}
