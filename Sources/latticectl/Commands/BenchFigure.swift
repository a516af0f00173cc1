import ArgumentParser

/// What a benchmark over two processes can measure.
enum BenchFigure: String, CaseIterable, ExpressibleByArgument {
    case roundTrips = "round-trips"
    case events
    case deliveries
}
