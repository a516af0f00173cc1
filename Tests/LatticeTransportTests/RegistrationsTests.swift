import LatticeConcurrency
import Testing

@testable import LatticeTransport

struct RegistrationsTests {
    private final class Idle: Registrant {
        func ready(_ readiness: Readiness) {}
        func eventLoopStops() {}
        func isHeldUp() {}
    }

    private func spins(after registration: Registration, in registrations: inout Registrations) -> Bool {
        registrations[spinWaitOf: registration.token].begins()
    }

    @Test("Whether to spin is decided for each registrant alone", .enabled(if: SpinWait.isPossible))
    func spinning() {
        var registrations = Registrations()
        let (busy, quiet) = (registrations.add(Idle()), registrations.add(Idle()))
        registrations[spinWaitOf: busy.token].record(wasWorthIt: true)
        registrations[spinWaitOf: quiet.token].record(wasWorthIt: false)
        #expect(spins(after: busy, in: &registrations))
        #expect(!spins(after: quiet, in: &registrations))
    }

    @Test("A registrant in the place of another one begins anew", .enabled(if: SpinWait.isPossible))
    func replaced() {
        var registrations = Registrations()
        let first = registrations.add(Idle())
        for _ in 0..<3 { registrations[spinWaitOf: first.token].record(wasWorthIt: false) }
        registrations.remove(first)
        let second = registrations.add(Idle())
        #expect(spins(after: second, in: &registrations))
        // The token of the first one no longer reaches the place, which is the same.
        registrations[spinWaitOf: first.token].record(wasWorthIt: false)
        #expect(spins(after: second, in: &registrations))
        #expect(registrations[first.token] == nil)
    }
}
