import InMemoryTracing
import LatticeClient
import LatticeCore
import LatticeTracing
import LatticeWorker
import Tracing
import TracingTestSupport

/// A worker or a client whose events are traced.
///
/// Started by a supervisor, the program is a worker, which answers with its spans when it is asked. Started by hand, it
/// is a client of the coordinator at the path in its first argument. It sends two events inside a span, asks a
/// question, and prints its own spans, each as a line.
@main enum Main {
    @MainActor static func main() async throws {
        let tracer = InMemoryTracer.forProcesses()
        let tracing = RuntimeTracing(tracer: tracer)
        if let worker = Worker.launchedBySupervisor(hosting: TracedFeature.self) {
            var dependencies = HostDependencies()
            dependencies[TracedFeature.Work.self] = { tracer.withSpan("work of the program") { _ in } }
            dependencies[TracedFeature.Spans.self] = { tracer.ended }
            return try await worker.run(dependencies: dependencies, observers: [tracing.observer])
        }
        var configuration = ClientConfiguration()
        configuration.observers.append(tracing.observer)
        try await withClient(connectingTo: CommandLine.arguments[1], configuration: configuration) { client in
            let viewModel = try await client.viewModel(TracedFeature.self)
            try await tracer.withSpan("click") { _ in
                print("outcome: \(await viewModel.sendViewEvent(.work).finish())")
                print("outcome: \(await viewModel.sendViewEvent(.fail).finish())")
                _ = try await viewModel.ask(.spans)
            }
        }
        for span in tracer.ended { print(span.text) }
    }
}
