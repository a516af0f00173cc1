package import LatticeTransport

/// The isolation of everything that lives on a reactor's thread.
package actor ReactorActor {
    package nonisolated let reactor: Reactor

    package init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
}
