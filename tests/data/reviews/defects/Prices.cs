using System.Net.Http;
using System.Threading.Tasks;
using System.Windows;

public partial class PricesWindow : Window
{
    private readonly HttpClient client = new HttpClient();

    private async Task<string> Load()
    {
        return await client.GetStringAsync("https://example.org/prices");
    }

    private void OnRefresh(object sender, RoutedEventArgs e)
    {
        Title = Load().Result;
    }
}
