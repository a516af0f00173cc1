import Testing

@testable import LatticeCoordinator

struct DescriptorBudgetTests {
    @Test(
        "Descriptors for the next worker are reserved, and clients get the rest (F12, F72)",
        arguments: [
            (limit: 4096, open: 20, clients: 1024, refusals: 64),
            (limit: 1141, open: 20, clients: 1024, refusals: 64),
            (limit: 1140, open: 20, clients: 1023, refusals: 64),
            (limit: 1024, open: 20, clients: 907, refusals: 64),
            (limit: 256, open: 20, clients: 178, refusals: 25),
            (limit: 64, open: 20, clients: 10, refusals: 1),
            (limit: 45, open: 20, clients: 0, refusals: 1),
            (limit: 8, open: 8, clients: 0, refusals: 1),
        ]
    )
    func shares(limit: Int, open: Int, clients: Int, refusals: Int) {
        let budget = DescriptorBudget(limit: limit, open: open)
        #expect(budget.clients == clients)
        #expect(budget.refusals == refusals)
        if clients > 0 {
            let kept = DescriptorBudget.forWorker + DescriptorBudget.forProgram + DescriptorBudget.maximumTools
            #expect(open + clients + refusals + kept <= limit)
        }
    }
}
