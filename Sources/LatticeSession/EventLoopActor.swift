import LatticeCoding
package import LatticeTransport
import LatticeWire

/// The isolation of everything that lives on an event loop's thread.
package actor EventLoopActor {
    package nonisolated let eventLoop: any EventLoop
    /// For what is coded on the loop's thread.
    package nonisolated let codingProgress: CodingProgress

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        codingProgress = CodingProgress(eventLoop)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.asUnownedSerialExecutor() }
}

/// Lets the connections of an event loop give a sign of life, from time to time, while its thread codes a large value.
package final class CodingProgress: CodingObserver {
    private let eventLoop: any EventLoop

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func codingGoesOn() {
        eventLoop.workGoesOn()
    }
}
